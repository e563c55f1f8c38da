/**
 * Parts of Node's HTTP modules. An `import` of `node:http` reads each of its exports, and with some of them Node loads
 * its implementation of `fetch`, which the start does not need.
 */
export const {
  Agent: HttpAgent,
  createServer,
  request: sendHttp,
  STATUS_CODES,
} = process.getBuiltinModule('node:http');
export const { Agent: HttpsAgent, request: sendHttps } = process.getBuiltinModule('node:https');
