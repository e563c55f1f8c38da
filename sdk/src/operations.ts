import type { OperationsView } from '@gatebook/contract/operations';
import type { Send } from './transport.ts';

export type Follower = {
  name: string;
  /** null for a follower that acts instead of keeping tables. */
  generation: string | null;
  position: bigint;
  /** Events that the log holds beyond its position. */
  lag: bigint;
  state: string;
  error: string | null;
};
export type Generation = {
  set: string;
  id: string;
  version: number;
  state: string;
  position: bigint;
  createdAt: Date;
};
export type Operations = { head: bigint; followers: readonly Follower[]; generations: readonly Generation[] };
/** For owners of `internal`. */
export type OperationsClient = { find(): Promise<Operations> };

export const operationsClient = (send: Send): OperationsClient => ({
  find: async () => fromWire(await send<OperationsView>('GET', '/internal/operations')),
});

function fromWire(view: OperationsView): Operations {
  return {
    head: BigInt(view.head),
    followers: view.followers.map(({ position, lag, ...rest }) => ({
      ...rest,
      position: BigInt(position),
      lag: BigInt(lag),
    })),
    generations: view.generations.map(({ position, created_at_millis, ...rest }) => ({
      ...rest,
      position: BigInt(position),
      createdAt: new Date(created_at_millis),
    })),
  };
}
