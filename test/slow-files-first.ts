import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tests that start processes, browsers or compilers, or run until a limit: short files that take long. */
const SLOW =
  /^(?:test\/(?:cli|faults|viewer|attack|analysis)\/|test\/(?:shell-docs|type-cost|docs|engine\/evil-scenario)\.test|src\/(?:engine\/scale|apps\/contracts|engine\/run\/sandbox|engine\/journal\/store\/postgres)\/)/;

/** Starts slow files first, so that none of them runs alone at the end while a core is idle. Vitest itself goes by size. */
export default class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isSlow = ({ moduleId, project }: TestSpecification): boolean =>
      SLOW.test(relative(project.config.root, moduleId));
    const sorted = await super.sort(files);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}
