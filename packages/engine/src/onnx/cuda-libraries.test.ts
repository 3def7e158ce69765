import { expect, test } from "vitest";
import { createEngine } from "../create-engine.ts";
import { isCudaInstalled, requireCuda } from "./cuda-libraries.ts";
import { loudWeights, TINY } from "../contract/train-engine.fixture.ts";

test("without the CUDA provider the error says what to install, or that the platform has none", () => {
  const isInstalled = () => false;
  const refusal = (system: string): unknown => {
    try {
      requireCuda({ system, isInstalled });
    } catch (error) {
      return error;
    }
    return null;
  };
  expect(refusal("linux x64")).toMatchObject({
    code: "DEVICE_UNAVAILABLE",
    message: expect.stringMatching(
      /install\.js.*driver, CUDA 12 and cuDNN 9.*"webgpu" or "cpu"/,
    ) as string,
  });
  expect(refusal("darwin arm64")).toMatchObject({
    code: "DEVICE_UNAVAILABLE",
    message: expect.stringMatching(/Linux x64.*this is darwin arm64/) as string,
  });
  expect(() => requireCuda({ system: "linux x64", isInstalled: () => true })).not.toThrow();
});

test("an engine on cuda starts, or its error names what is missing", async () => {
  const options = { config: TINY, weights: loudWeights(TINY), trains: "full" } as const;
  const opened = await createEngine({ ...options, device: "cuda" }).catch(
    (error: unknown) => error,
  );
  const said = opened instanceof Error ? opened.message : "starts";
  expect(said).toMatch(
    isCudaInstalled() ? /^starts$|could not start/ : /CUDA 12 and cuDNN 9|only on Linux x64/,
  );
});
