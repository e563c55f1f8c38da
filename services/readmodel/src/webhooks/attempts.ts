import type { Pool } from '@gatebook/runtime/postgres';
import type { At, Trigger } from './deliveries.ts';
import { lazily } from './lease-deliveries.ts';

/** The outcome of an attempt. `nextMs`: how long to wait for the next one; null when there is none. */
export type AttemptRecord = {
  deliveryId: string;
  endpointId: string;
  lease: string;
  status: 'pending' | 'delivered' | 'failed';
  step: number;
  nextMs: number | null;
  trigger: Trigger;
  statusCode: number | null;
  errorCode: string | null;
  durationMs: number;
  response: string | null;
  subjects: readonly string[];
  /** How long the receiver wants nothing. */
  pauseMs: number;
};

/** How an endpoint does after attempts. Milliseconds; null: it does not fail, or was not warned about. */
export type EndpointHealth = { failingMs: number | null; isWarned: boolean };

/**
 * Records attempts, also of several endpoints. Those whose lease was lost are ignored: another worker makes them again.
 * @returns the health of the endpoints of which it changed
 */
export async function recordAttempts(
  pool: Pool,
  attempts: readonly AttemptRecord[],
  at: At,
): Promise<ReadonlyMap<string, EndpointHealth>> {
  const { rows } = await pool.query<EndpointHealth & { endpointId: string }>({
    name: 'record-webhook-attempts',
    // The IDs are given twice, so that rows are looked up by them, also if the statement is planned without any rows.
    text: `with clock as materialized (select coalesce($3::timestamptz, now()) as now, ${lazily}),
      results as (
        select * from json_to_recordset($2::json) as r("deliveryId" uuid, lease uuid, status text, step int,
          "nextMs" float8, trigger text, "statusCode" int, "errorCode" text, "durationMs" int, response text,
          subjects json, "pauseMs" float8)),
      done as (
        update webhooks.deliveries d set step = r.step, attempt_count = d.attempt_count + 1,
          status = case when r.status = 'failed' and d.delivered_at is not null then 'delivered' else r.status end,
          next_attempt_at = clock.now + r."nextMs" * interval '1 ms', lease = null, trigger = 'scheduled',
          last_status_code = r."statusCode", finished_at = case r.status when 'delivered' then clock.now
            when 'failed' then coalesce(d.delivered_at, clock.now) end
        from results r, clock where d.id = any($1::uuid[]) and d.id = r."deliveryId" and d.lease = r.lease
        returning d.id, d.project_id, d.endpoint_id, d.attempt_count, r.*),
      kept as (
        insert into webhooks.attempts (delivery_id, number, project_id, endpoint_id, at, trigger, status_code, error_code,
          duration_ms, response, subjects)
        select done.id, attempt_count, project_id, endpoint_id, clock.now - "durationMs" * interval '1 ms', trigger,
          "statusCode", "errorCode", "durationMs", response, array(select json_array_elements_text(subjects))
        from done, clock),
      outcomes as materialized (
        select endpoint_id, bool_or(status = 'delivered') as has_success, bool_or(status <> 'delivered') as has_failure,
          max("pauseMs") as pause from done group by endpoint_id),
      -- In order, so that two processes do not wait for each other.
      changed as materialized (
        select o.* from webhooks.endpoints e, outcomes o, clock
        where e.endpoint_id = any(array(select endpoint_id from outcomes)) and e.endpoint_id = o.endpoint_id
          and (o.has_failure or e.failing_since is not null or e.last_success_at is null
            or e.last_success_at < clock.now - interval '1 second')
        order by e.endpoint_id for update of e)
      update webhooks.endpoints e set
        failing_since = case when o.has_success then null else coalesce(e.failing_since, clock.now) end,
        warned_at = case when o.has_success then null else e.warned_at end,
        last_success_at = case when o.has_success then clock.now else e.last_success_at end,
        paused_until = case when o.pause > 0 then clock.now + o.pause * interval '1 ms' else e.paused_until end
      from changed o, clock
      where e.endpoint_id = any(array(select endpoint_id from changed)) and e.endpoint_id = o.endpoint_id
      returning e.endpoint_id as "endpointId", extract(epoch from clock.now - e.failing_since)::float8 * 1000 as "failingMs",
        e.warned_at is not null as "isWarned"`,
    values: [attempts.map(({ deliveryId }) => deliveryId), JSON.stringify(attempts), at],
  });
  return new Map(rows.map(({ endpointId, ...health }) => [endpointId, health]));
}

/** Notes that the owners were told that an endpoint fails. */
export async function markWarned(pool: Pool, endpointId: string, at: At): Promise<void> {
  await pool.query(
    `update webhooks.endpoints set warned_at = coalesce($2::timestamptz, now())
     where endpoint_id = $1 and warned_at is null and failing_since is not null`,
    [endpointId, at],
  );
}

/** Failures from before an endpoint was enabled again do not count. */
export async function forgetFailures(pool: Pool, endpointId: string): Promise<void> {
  await pool.query(
    `update webhooks.endpoints set failing_since = null, warned_at = null
     where endpoint_id = $1 and failing_since is not null`,
    [endpointId],
  );
}
