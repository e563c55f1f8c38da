import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProjectionGroup } from '@gatebook/projections/projection-group';
import { listProjectionVersions } from '@gatebook/projections/projection-versions';
import { runProjector } from '@gatebook/projections/run-projector';
import { createRecord, type TestLog, testMetadata } from '@gatebook/projections/testing/test-log';
import { auditGroup, eventsGroup, mainGroup, metricsGroup, pastGroup } from '@gatebook/readmodel/projection-groups';
import { takeTurns } from '@gatebook/runtime/leadership';
import { testDatabase } from '@gatebook/runtime/testing/database';
import { vi } from 'vitest';
import { type Operator, openOperator } from '../cli/operator.ts';
import { installationTemplate } from './installation-template.ts';
import { type LineOptions, runLine } from './run-line.ts';

export type TestOperator = Operator & {
  /** Appends to a stream as a client, whatever its revision. */
  record: TestLog['record'];
  /** Runs a command on this installation; `env` has additional settings. */
  run(line: string, options?: LineOptions): ReturnType<typeof runLine>;
  /** Starts a server's projectors and waits for the read models; the returned function and `close` stop them. */
  startServer(): Promise<() => Promise<void>>;
};

/** An operator of an installation with an empty log, in a new database and a new folder. */
export async function openTestOperator(): Promise<TestOperator> {
  const [folder, database] = await Promise.all([
    mkdtemp(join(tmpdir(), 'gatebook-operator-')),
    testDatabase(installationTemplate),
  ]);
  const env = {
    GATEBOOK_DATABASE_URL: database.url,
    GATEBOOK_MASTER_KEY: randomBytes(32).toString('base64'),
    GATEBOOK_DATA_DIR: folder,
    GATEBOOK_PORT: '1',
  };
  const operator = await openOperator(env);
  const { store, pool, logger } = operator;
  const stops: (() => Promise<void>)[] = [];

  async function startServer(): Promise<() => Promise<void>> {
    const stopping = new AbortController();
    const startProjectors = (groups: readonly ProjectionGroup[], name: string) =>
      takeTurns(
        { url: database.url, name, logger },
        async (signal) => {
          await Promise.all(groups.map((group) => runProjector({ store, pool, group, logger }, signal)));
        },
        stopping.signal,
      );
    const ended = Promise.all([
      startProjectors([mainGroup], 'projector'),
      startProjectors([metricsGroup, auditGroup, eventsGroup, pastGroup], 'worker'),
    ]);
    const stop = async () => {
      stopping.abort();
      await ended;
    };
    stops.push(stop);
    const head = await store.head();
    const isProjected = ({ position }: { position: bigint }) => position >= head;
    await vi.waitUntil(async () => (await listProjectionVersions(pool, null)).every(isProjected));
    return stop;
  }

  return {
    ...operator,
    record: createRecord(store, { ...testMetadata, actor: { kind: 'client', id: null } }),
    run: (line, options = {}) =>
      runLine(line, { sessionFile: join(folder, 'session.json'), ...options, env: { ...env, ...options.env } }),
    startServer,
    close: async () => {
      for (const stop of stops) await stop();
      await operator.close();
      await database.close();
      await rm(folder, { recursive: true });
    },
  };
}
