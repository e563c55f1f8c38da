import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files of `whole` that start browsers and processes take longest, whatever their size. */
const longest = ['dashboard/e2e/', 'infra/checks/'];

/** Files of the same project follow each other, because those of the last two share processes. */
const projects = ['whole', 'frontend', 'services'];

/** Starts the longest files first, so that no core is idle at the end of a run. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ project, moduleId }: TestSpecification) => {
      const place = longest.findIndex((folder) => project.name === 'whole' && moduleId.includes(folder));
      return place !== -1 ? place : longest.length + 1 + projects.indexOf(project.name);
    };
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}
