/**
 * The order of test files: back ends against the plain decoder come first. What later tests measure
 * means nothing on a device that computes wrongly.
 */
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

export class AgreementFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isAgreement = ({ moduleId }: TestSpecification): boolean =>
      moduleId.includes("agreement");
    return [...sorted.filter(isAgreement), ...sorted.filter((file) => !isAgreement(file))];
  }
}
