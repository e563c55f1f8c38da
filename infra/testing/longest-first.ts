import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that start browsers and processes take longest, whatever their size. */
const longest = ['dashboard/e2e/', 'infra/checks/'];

/** Starts the longest files first, so that no core is idle at the end of a run. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ project, moduleId }: TestSpecification) => {
      const place = longest.findIndex((folder) => moduleId.includes(folder));
      if (place !== -1) return place;
      // Files of the same project follow each other, because they share processes.
      return longest.length + (project.name === 'services' ? 1 : 0);
    };
    return sorted.toSorted((one, other) => rank(one) - rank(other));
  }
}
