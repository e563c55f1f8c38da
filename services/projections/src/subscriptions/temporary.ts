import { AppendOutcomeUnknownError, LogUnavailableError } from '@gatebook/eventlog/port';
import { ReadModelNotReadyError } from '../wait.ts';

/** Something that the event needs is not available yet, for all projects. */
export class NotYetError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NotYetError';
  }
}

/** The project of the event is quarantined in the read models, which the reactor needs. */
export class ProjectQuarantinedError extends Error {
  constructor(projectId: string) {
    super(`project ${projectId} is quarantined in the read models`);
    this.name = 'ProjectQuarantinedError';
  }
}

const networkCodes: readonly string[] = [
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['ENOTFOUND', 'EAI_AGAIN'],
];
/**
 * SQLSTATE classes: connection, transaction rollback, resources, intervention, system; also a server that is read-only,
 * as after a failover, and a lock that is not available.
 */
const temporaryStates = /^(08|40|53|57|58)...$|^(25006|55P03)$/;
const connectionMessages =
  /connection (terminated|is closed|ended)|timeout (exceeded|expired)|client has encountered|query read timeout/i;
/** Begin responses in which Redis accepts no command now, or not from us. Scripts put more before them. */
const redisStates =
  /(^|-)(OOM|READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|MISCONF|NOREPLICAS|NOAUTH|WRONGPASS|NOPERM|UNBLOCKED) /;

/** Whether a server was unavailable, so that the same call can succeed later and fails for all events until then. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (
    error instanceof NotYetError ||
    error instanceof LogUnavailableError ||
    error instanceof AppendOutcomeUnknownError ||
    error instanceof ReadModelNotReadyError
  ) {
    return true;
  }
  const code = 'code' in error ? String(error.code) : '';
  if (networkCodes.includes(code) || temporaryStates.test(code) || connectionMessages.test(error.message)) return true;
  if (error.name === 'ReplyError' && redisStates.test(error.message)) return true;
  if (error instanceof AggregateError) return error.errors.some(isTemporary);
  return isTemporary(error.cause);
}
