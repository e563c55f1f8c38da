/**
 * Limits for all tests. They only end a test that hangs: no test has a shorter limit, so that a slow machine can't fail
 * it. Tests that compare times are in `vitest.alone.config.ts`.
 */
export const testDeadlineMs = 300_000;

/** How long `expect.poll`, `vi.waitFor` and browsers wait for an expected condition. */
export const pollDeadlineMs = 60_000;
