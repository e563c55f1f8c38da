import {
  isNoticeLate,
  type NoticeDeps,
  sendNewDeviceNotice,
  sendSecurityNotice,
} from '@gatebook/commands/email/security-notice';
import { type GatebookEvent, typesBesides } from '@gatebook/domain/catalog';
import type { Recorded } from '@gatebook/domain/event';
import type { SessionEvent } from '@gatebook/domain/session/events';
import type { UserEvent } from '@gatebook/domain/user/events';
import {
  evolveNotices,
  initialNotices,
  isSecurityRelevant,
  type NoticeState,
  noticeLimits,
  securityTypes,
} from '@gatebook/domain/user/security-notice';
import { noEffect, type Reactor } from '@gatebook/projections/subscriptions/reactor-parts';
import { NotYetError, ProjectQuarantinedError } from '@gatebook/projections/subscriptions/temporary';
import type { ReadModels } from '@gatebook/projections/wait';
import { createFold, foldAll, type StreamStore } from '@gatebook/readmodel/events/folded-streams';
import type { ReadDb } from '@gatebook/readmodel/read-db';
import { nameDevice } from '@gatebook/readmodel/sessions/device';
import { countNewDevices, isFirstSessionFromDevice } from '@gatebook/readmodel/sessions/queries';
import { ignoreDeletedProject } from '../in-deleted-project.ts';

type Parts = { write: NoticeDeps; db: ReadDb; readModels: Pick<ReadModels, 'reached' | 'isQuarantined'> };
type SessionStarted = Extract<SessionEvent, { type: 'SessionStarted' }>;

/**
 * Requests an email to the user about each change of a sign-in method and each session from a new device. Ignores
 * imports of an operator. Ignores events older than a day, so that a subscription that starts with an old log sends
 * nothing.
 */
export function createSecurityNotices(parts: Parts): Reactor {
  const store = withoutLargeValues(parts.write.store);
  // A user who changes much, such as one under attack, is not read from the first event each time.
  const fold = createFold<NoticeState>(initialNotices, (state, event) =>
    evolveNotices(state, event as Recorded<UserEvent>),
  );

  async function reactToChange(event: Recorded<UserEvent>): Promise<void> {
    const [upTo = initialNotices] = await foldAll(store, fold, [event]);
    await sendSecurityNotice(parts.write, event, upTo);
  }

  return {
    name: 'security-notices',
    unneeded: { types: typesBesides(['SessionStarted', ...securityTypes]) },
    react: async (recorded: Recorded) => {
      const event = recorded as Recorded<GatebookEvent>;
      if (isNoticeLate(parts.write, event) || event.metadata.actor.kind === 'operator') return noEffect;
      if (event.type === 'SessionStarted') return ignoreDeletedProject(reactToSession(parts, event));
      if (!isSecurityRelevant(event as Recorded<UserEvent>)) return noEffect;
      return ignoreDeletedProject(reactToChange(event as Recorded<UserEvent>));
    },
  };
}

const withoutLargeValues = (store: StreamStore): StreamStore => ({
  readStreamPages: (stream, how, after) => store.readStreamPages(stream, { ...how, large: true }, after),
  readEarlier: (lengths) => store.readEarlier(lengths),
  revisionsOf: (streams) => store.revisionsOf(streams),
});

async function reactToSession({ write, db, readModels }: Parts, event: Recorded<SessionStarted>): Promise<unknown> {
  const { sessionId, userId, userRevision, projectId, userAgent, ip, at } = event.data;
  if ((await readModels.reached(event.position, undefined, [projectId])) === 'behind') {
    if (readModels.isQuarantined([projectId])) throw new ProjectQuarantinedError(projectId);
    throw new NotYetError('the read models lag');
  }
  if (!(await isFirstSessionFromDevice(db, projectId, sessionId))) return noEffect;
  for (const { max, minutes } of noticeLimits) {
    const since = new Date(Date.parse(at) - minutes * 60_000).toISOString();
    if ((await countNewDevices(db, projectId, userId, { since, upTo: event.position })) > max) return noEffect;
  }
  const deviceName = userAgent === null ? '' : nameDevice(userAgent);
  return sendNewDeviceNotice(write, event, { userId, userRevision, deviceName, ipAddress: ip });
}
