/**
 * Order of the test files: comparisons of the back ends with the plain decoder run first, because other
 * measurements are meaningless on a device that computes wrongly.
 */
import { BaseSequencer } from "vitest/node";
import type { TestSpecification } from "vitest/node";

/** Vitest's sequencer, with the agreement tests first. */
export class AgreementFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isAgreement = ({ moduleId }: TestSpecification): boolean =>
      moduleId.includes("agreement");
    return [...sorted.filter(isAgreement), ...sorted.filter((file) => !isAgreement(file))];
  }
}
