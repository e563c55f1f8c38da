import { projectionCode } from '@gatebook/readmodel/projection-code';
import { expect, test } from 'vitest';
import { computeProjectionCode } from './projection-code.ts';

test('the recorded code of projections is that of the code: otherwise run "npm run record:projections"', async () => {
  expect(projectionCode).toEqual(await computeProjectionCode());
});
