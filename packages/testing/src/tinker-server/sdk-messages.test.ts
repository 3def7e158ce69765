/** The message descriptions against the SDK's own descriptor. */
import { createHash } from "node:crypto";
import { toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { SDK_DESCRIPTOR } from "./sdk-messages.ts";

test("the descriptor has the bytes of the one in the SDK's tinker_public_pb2.py", () => {
  const bytes = toBinary(FileDescriptorProtoSchema, SDK_DESCRIPTOR);
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(
    "a4758dd4562a4c91c47edd0a86c71c52042ade3a48355b07333b272b5f48ecae",
  );
});
