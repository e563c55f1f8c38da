import { reject } from '@gatebook/domain/errors';
import type { CustomMetricChange } from '@gatebook/domain/project/custom-metrics';
import type { CustomMetric, CustomMetricDefinition } from '@gatebook/domain/project/metric-definition';
import type { ProjectState } from '@gatebook/domain/project/state';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { decideOnProject } from '../project/project.ts';

type OfMetric = { metricId: string };
/** The metric after the command. `at`: when. */
type WrittenMetric = { metric: CustomMetric; at: string };

/** Defines a metric of the project `ctx.projectId`. @throws DomainError CUSTOM_METRIC_LIMIT_REACHED */
export async function defineMetric(
  deps: WriteDeps,
  ctx: Context,
  { definition }: { definition: CustomMetricDefinition },
): Promise<CommandResult<WrittenMetric>> {
  const [metricId, at] = [deps.newId(), deps.now()];
  const { state, position } = await decideOnProject(deps, ctx, [{ type: 'DefineMetric', metricId, definition, at }]);
  return { metric: requireMetric(state, metricId), at, position };
}

/** Undefined fields do not change. @throws DomainError CUSTOM_METRIC_NOT_FOUND */
export async function redefineMetric(
  deps: WriteDeps,
  ctx: Context,
  { metricId, change }: OfMetric & { change: CustomMetricChange },
): Promise<CommandResult<WrittenMetric>> {
  const at = deps.now();
  const { state, position } = await decideOnProject(deps, ctx, [{ type: 'RedefineMetric', metricId, change, at }]);
  return { metric: requireMetric(state, metricId), at, position };
}

/** @throws DomainError CUSTOM_METRIC_NOT_FOUND */
export async function deleteMetric(deps: WriteDeps, ctx: Context, { metricId }: OfMetric): Promise<CommandResult> {
  const at = deps.now();
  const { position } = await decideOnProject(deps, ctx, [{ type: 'DeleteMetric', metricId, at }]);
  return { position };
}

function requireMetric(state: ProjectState, metricId: string): CustomMetric {
  const metrics = state.status === 'active' ? state.customMetrics : [];
  return metrics.find((metric) => metric.metricId === metricId) ?? reject('CUSTOM_METRIC_NOT_FOUND');
}
