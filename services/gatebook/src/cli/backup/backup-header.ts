import type { Header } from '../../backup/format.ts';
import { count } from '../text.ts';

export const toWire = ({ id, installation, createdAt, epoch, head }: Header) => ({
  id,
  installation,
  created_at: createdAt,
  epoch,
  head,
});

export const describeHead = ({ head }: Header) =>
  head === null ? '. The log is in EventStoreDB: back it up there' : `, events up to position ${count(BigInt(head))}`;
