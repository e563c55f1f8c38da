import { realNetwork } from '../network.ts';
import { networkAsOf } from '../past.ts';
import type { GatebookClientAppOptions } from './options.ts';

/** A time, or the ID of an event, for the state right after the action that it belongs to. */
export type Moment = Date | string;

/** For an app of the same kind that reads as of `moment` and writes nothing. The past has no session. */
export function optionsAsOf<Options extends GatebookClientAppOptions>(options: Options, moment: Moment): Options {
  const { parts } = options;
  const asOf = typeof moment === 'string' ? moment : String(moment.getTime());
  const network = networkAsOf(parts?.network ?? realNetwork, asOf);
  return { ...options, tokenStore: null, parts: { ...parts, network } };
}
