import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

const types = { A: 1, AAAA: 28 } as const;
const headerBytes = 12;

/** The only question of a query (RFC 1035 §4.1). `end`: where it ends in the packet. */
function readQuestion(packet: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = packet.readUInt8(at); length > 0; length = packet.readUInt8(at)) {
    labels.push(packet.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: packet.readUInt16BE(at + 1), end: at + 5 };
}

/** A record of the name in the question, which nobody may keep. */
function toRecord(type: number, address: string): Buffer {
  const data = Buffer.from(ipaddr.parse(address).toByteArray());
  const record = Buffer.from([0xc0, headerBytes, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
  return Buffer.concat([record, data]);
}

function toResponse(query: Buffer, { type, end }: { type: number; end: number }, addresses: readonly string[] | null) {
  const isOfType = { [types.A]: isIPv4, [types.AAAA]: isIPv6 }[type] ?? (() => false);
  const records = (addresses ?? []).filter(isOfType).map((address) => toRecord(type, address));
  const header = Buffer.from(query.subarray(0, headerBytes));
  // An authoritative response; 3: the name does not exist.
  header.writeUInt16BE(0x8400 | (addresses ? 0 : 3), 2);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, query.subarray(headerBytes, end), ...records]);
}

export type DnsServer = { port: number; queries: string[]; close(): Promise<void> };

/**
 * A name server over UDP. `find`: the addresses of a name, or null if it does not exist; `nth` counts its queries of
 * one type from 0, so that it can answer differently each time.
 */
export async function startDnsServer(
  find: (name: string, nth: number) => readonly string[] | null,
  port = 0,
): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const queries: string[] = [];
  socket.on('message', (query, { port, address }) => {
    const question = readQuestion(query);
    const key = `${question.name} ${question.type}`;
    const nth = queries.filter((one) => one === key).length;
    queries.push(key);
    socket.send(toResponse(query, question, find(question.name, nth)), port, address);
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return {
    port: socket.address().port,
    queries,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
