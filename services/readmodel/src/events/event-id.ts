import { crockfordBase32 } from '@gatebook/runtime/ids';

/** Where a public event comes from. `nth`: among those that one row stands for. */
export type EventOrigin = { eventId: string; index: number; nth: number };

/** The rest of 16 bits are the highest of `nth`. */
const indexBits = 12;
const form = new RegExp(`^evt_[${crockfordBase32}]{32}$`);

/** `evt_` and 32 characters that name the event of the log: the same in every rebuild, and in every copy of the log. */
export function toPublicId({ eventId, index, nth }: EventOrigin): string {
  const bytes = Buffer.alloc(20);
  bytes.write(eventId.replaceAll('-', ''), 'hex');
  bytes.writeUInt16BE(((nth >> 16) << indexBits) | index, 16);
  bytes.writeUInt16BE(nth & 0xffff, 18);
  let bits = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let place = 0; place < 32; place += 1) {
    text = `${crockfordBase32[Number(bits & 31n)]}${text}`;
    bits >>= 5n;
  }
  return `evt_${text}`;
}

/** @returns null for a text that is not such an ID */
export function fromPublicId(id: string): EventOrigin | null {
  if (!form.test(id)) return null;
  let bits = 0n;
  for (const digit of id.slice(4)) bits = (bits << 5n) | BigInt(crockfordBase32.indexOf(digit));
  const hex = bits.toString(16).padStart(40, '0');
  const eventId = hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const index = Number.parseInt(hex.slice(32, 36), 16);
  const nth = ((index >> indexBits) << 16) | Number.parseInt(hex.slice(36), 16);
  return { eventId, index: index % 2 ** indexBits, nth };
}
