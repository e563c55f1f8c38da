import { defineQuery, type ReadDb } from '../read-db.ts';
import { hoursBetween } from './active-totals.ts';
import { type Dimension, define, isRegular, joinOf, ofActive, ofSignIn, ofSignUp, utc } from './counting.ts';
import { startOf } from './intervals.ts';

/** `joined`, `verified` and `returned`: steps of the funnel. */
export const countedKinds = ['sign_ups', 'sign_ins', 'active_users', 'joined', 'verified', 'returned'] as const;

/** A number of the analytics. Times in milliseconds, `until` exclusive. `value`: of the dimension, empty if unknown. */
export type CountedPoint = {
  kind: (typeof countedKinds)[number];
  from: number;
  until: number;
  dimension: Dimension;
  value: string;
};

/** The newest people of a point; nobody looks through more in a list. */
const most = 10_000;

const signUpQueries = define(
  'people-of-sign-ups',
  (schema, dimension) => `select s.user_id as id from ${schema}.sign_ups s
    where s.project_id = $1 and s.signed_up_at >= $2 and s.signed_up_at < $3 and not s.is_anonymous
      and ${ofSignUp[dimension].value('')} = $4
    order by s.signed_up_at desc limit ${most}`,
);

const signInQueries = define('people-of-sign-ins', (schema, dimension) => {
  const grouping = ofSignIn[dimension];
  return `select i.user_id as id from ${schema}.sign_ins i ${joinOf(schema, grouping, 'i.user_id')}
    where i.project_id = $1 and i.signed_in_at >= $2 and i.signed_in_at < $3 and ${grouping.value('')} = $4
    group by 1 order by max(i.signed_in_at) desc limit ${most}`;
});

const activeDaysQueries = define('people-of-active-days', (schema, dimension) => {
  const grouping = ofActive[dimension];
  return `select distinct d.user_id as id from activity.days d ${joinOf(schema, grouping, 'd.user_id')}
    where d.project_id = $1 and d.day between $2::date and $3::date and ${isRegular(schema, grouping, 'd.user_id')}
      and ${grouping.value(utc('$2::date::timestamp'))} = $4
    limit ${most}`;
});

/** New users of an hour are those of its day. */
const activeHoursQueries = define('people-of-active-hours', (schema, dimension) => {
  const grouping = ofActive[dimension];
  return `select distinct d.user_id as id from unnest($3::date[], $4::int[]) as w(day, hours)
    join activity.days d on d.project_id = $1 and d.day = w.day and d.hours & w.hours <> 0
    ${joinOf(schema, grouping, 'd.user_id')}
    where d.day >= $2::date and ${isRegular(schema, grouping, 'd.user_id')}
      and ${grouping.value(utc('d.day::timestamp'))} = $5
    limit ${most}`;
});

const stepQuery = defineQuery({
  name: 'people-of-a-step',
  group: 'metrics' as const,
  sql: (schema) => `select s.user_id as id from ${schema}.sign_ups s left join activity.users v on v.user_id = s.user_id
    where s.project_id = $1 and s.joined_at >= $2 and s.joined_at < $3 and not s.is_anonymous
      and ($4 = 'joined' or s.is_verified) and ($4 <> 'returned' or v.last_active_at >= (
        date_trunc('day', s.joined_at at time zone 'UTC') + interval '1 day') at time zone 'UTC')
    order by s.joined_at desc limit ${most}`,
});

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
const isDay = (at: number) => startOf('day', at) === at;

function rowsOf(db: ReadDb, projectId: string, { kind, from, until, dimension, value }: CountedPoint) {
  const [start, end] = [new Date(from), new Date(until)];
  if (kind === 'sign_ups') return db.rows<{ id: string }>(signUpQueries[dimension], [projectId, start, end, value]);
  if (kind === 'sign_ins') return db.rows<{ id: string }>(signInQueries[dimension], [projectId, start, end, value]);
  if (kind !== 'active_users') return db.rows<{ id: string }>(stepQuery, [projectId, start, end, kind]);
  if (isDay(from) && isDay(until)) {
    const days = [dayOf(from), dayOf(until - 1)] as const;
    return db.rows<{ id: string }>(activeDaysQueries[dimension], [projectId, ...days, value]);
  }
  const hours = hoursBetween(startOf('hour', from), until);
  const values = [projectId, dayOf(from), [...hours.keys()], [...hours.values()], value] as const;
  return db.rows<{ id: string }>(activeHoursQueries[dimension], values);
}

/** IDs of the people that a point counts, as far as they exist and their activity is not forgotten; 10,000 at most. */
export const findCountedPeople = async (db: ReadDb, projectId: string, point: CountedPoint): Promise<string[]> =>
  (await rowsOf(db, projectId, point)).map(({ id }) => id);
