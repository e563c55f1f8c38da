import { stateVersions } from '@gatebook/domain/state-versions';
import { expect, test } from 'vitest';
import { computeStateVersions } from './state-versions.ts';

test('the recorded versions of states are those of the code: otherwise run "npm run record:states"', async () => {
  expect(stateVersions).toEqual(await computeStateVersions());
});
