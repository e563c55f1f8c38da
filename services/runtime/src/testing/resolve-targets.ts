import { createServer } from 'node:net';
import { OutgoingError, resolveTargetProblem, sendRequest } from '../outgoing/send-request.ts';
import { startDnsServer } from './dns-server.ts';
import { addressesByName, forbiddenTargets, publicAddress, rebindingName } from './forbidden-targets.ts';

/*
 * Asks the resolver of the system, in a network of its own whose only name server is the one below. Connections to
 * `publicAddress` and to the loopback address come to this process. Prints what happened as JSON.
 */
const port = 8_443;
const dns = await startDnsServer(
  (name, nth) => (name === rebindingName ? [nth === 0 ? publicAddress : '127.0.0.1'] : (addressesByName[name] ?? null)),
  53,
);
const connections: string[] = [];
for (const host of [publicAddress, '127.0.0.1', '::1']) {
  const server = createServer((socket) => {
    connections.push(host);
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
}

const save = (url: string) => resolveTargetProblem(url, { allowPrivate: false, timeoutMs: 10_000 });
const send = (url: string) =>
  sendRequest(url, { method: 'POST', headers: {}, body: '{}' }, limits).then(
    () => 'sent',
    (error: unknown) => (error instanceof OutgoingError ? error.reason : String(error)),
  );
const limits = { deadlineMs: 10_000, maxResponseBytes: 1_000, allowPrivate: false };
const judge = async (url: string) => ({ saved: await save(url), sent: await send(url) });

const literal: Record<string, unknown> = {};
for (const url of forbiddenTargets) literal[url] = await judge(url);
const queriesOfLiterals = dns.queries.length;
const named: Record<string, unknown> = {};
for (const name of Object.keys(addressesByName)) named[name] = await judge(`https://${name}:${port}/`);
const connectionsToForbidden = [...connections];
// The first request gets the public address. A second query, also within that request, gets the loopback address.
const rebinding = [];
for (let nth = 0; nth < 2; nth += 1) rebinding.push(await send(`https://${rebindingName}:${port}/`));
const rebound = connections.slice(connectionsToForbidden.length);
process.stdout.write(JSON.stringify({ literal, queriesOfLiterals, named, connectionsToForbidden, rebinding, rebound }));
process.exit();
