import type { ProjectionGroup } from '@gatebook/projections/projection-group';
import { createIndexes } from '@gatebook/projections/projection-tables';
import { createProjectionVersion, markReady } from '@gatebook/projections/projection-versions';
import { projectBatch } from '@gatebook/projections/projector';
import { dropProjectionGroup, promoteProjectionVersion } from '@gatebook/projections/promotion';
import { allGroups, mainGroup, pastGroup } from '@gatebook/readmodel/projection-groups';
import type { Pool } from '@gatebook/runtime/postgres';
import type { openBenchLog } from './open-log.ts';

const batch = 10_000;
/** Of the rates of main and past: so much of the log is projected into one group at a time. */
const measuredPart = 0.1;

type Log = Pick<Awaited<ReturnType<typeof openBenchLog>>, 'pool' | 'store'>;
export type BuiltGroup = { schema: string; perSecond: number; megabytes: number };

/** Builds the read models as a rebuild does, with the indexes last, but reads the log once for all groups. */
export async function buildReadModels({ pool, store }: Log) {
  const groups = [...allGroups, pastGroup];
  for (const { name } of groups) await dropProjectionGroup(pool, name);
  const builds = await Promise.all(groups.map((group) => startBuild(pool, group)));
  const of = (name: string) => {
    const found = builds.find(({ group }) => group.name === name);
    if (!found) throw new Error(`${name} was not built`);
    return found;
  };
  const head = await store.head();
  const measured = BigInt(Math.ceil(Number(head) * measuredPart));
  let position = 0n;
  for (let page = store.readAll(position, batch); position < head; ) {
    const events = await page;
    const isMeasured = position < measured;
    position = events.at(-1)?.position ?? head;
    page = store.readAll(position, batch);
    const applied = builds.map((build) => () => build.apply(events));
    if (isMeasured) for (const apply of applied) await apply();
    else await Promise.all(applied.map((apply) => apply()));
    if (isMeasured) for (const build of builds) build.measure();
  }
  for (const build of builds) await build.promote();
  const [main, past] = [await of(mainGroup.name).describe(), await of(pastGroup.name).describe()];
  return { main, past, position, events: Number(position) };
}

async function startBuild(pool: Pool, group: ProjectionGroup) {
  const version = await createProjectionVersion(pool, group);
  let position = 0n;
  let ms = 0;
  let perSecond = Number.NaN;
  return {
    group,
    apply: async (events: Parameters<typeof projectBatch>[4]) => {
      const start = performance.now();
      ({ position } = await projectBatch(pool, group, { ...version, tables: group.tables }, position, events));
      ms += performance.now() - start;
    },
    /** The rate up to here. */
    measure: () => {
      perSecond = (Number(position) * 1000) / ms;
    },
    promote: async () => {
      await createIndexes(pool, version);
      await markReady(pool, version);
      await promoteProjectionVersion(pool, version.id);
    },
    describe: async (): Promise<BuiltGroup> => {
      const { rows } = await pool.query<{ bytes: string }>(
        `select sum(pg_total_relation_size(c.oid)) as bytes from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = $1 and c.relkind = 'r'`,
        [version.schema],
      );
      return { schema: version.schema, perSecond, megabytes: Number(rows[0]?.bytes ?? 0) / 1_000_000 };
    },
  };
}
