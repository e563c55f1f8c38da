/** A real server for tests in Node.js. Mocks without a server are in `@gatebook/testing/mock`. */
export type { Email, Emails, NextEmailOptions } from './emails.ts';
export { gatebookFixture } from './fixture.ts';
export type { ServerLocation } from './server-process.ts';
export { type Gatebook, type StartOptions, startGatebook } from './start-gatebook.ts';
export type { NewTestUser, TestUser } from './test-users.ts';
