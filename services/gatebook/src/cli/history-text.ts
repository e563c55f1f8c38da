import type { StateDiffView } from '@gatebook/contract/as-of';
import type {
  AuditEventDetailView,
  AuditEventTypeListView,
  AuditEventView,
  AuditTimelineView,
  FieldChangeView,
} from '@gatebook/contract/audit';
import type { PermissionExplanationView, PermissionStepView, RejectionView } from '@gatebook/contract/explanations';
import type { PreviewView, TargetChange } from '@gatebook/contract/previews';
import { columns, count } from './text.ts';

type Named = { kind: string; id: string | null; display_name: string | null };
type Actor = Named & { impersonator?: Named | null };

const timeOf = (millis: number) => new Date(millis).toISOString();
const nameOf = ({ kind, id, display_name: name }: Named) => [kind, name ?? id].filter(Boolean).join(' ');
const actorOf = (actor: Actor) =>
  actor.impersonator ? `${nameOf(actor.impersonator)} acting for ${nameOf(actor)}` : nameOf(actor);
const changeOf = ({ field, before, after, is_redacted: isRedacted }: FieldChangeView) =>
  isRedacted ? `${field} (secret)` : `${field}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`;
const targetOf = ({ type, id }: { type: string; id: string | null }) => [type, id].filter(Boolean).join(' ');
const textOf = ({ text, count: times }: AuditEventView) => (times === 1 ? text : `${text} (${count(times)} times)`);

export const describeEvents = (events: readonly AuditEventView[]): string[] =>
  columns(events.map((event) => [timeOf(event.at_millis), actorOf(event.actor), textOf(event), event.id]));

const barLength = 40;

/** `200,000+`: there are more, which were not counted. */
export function describeTimeline({ buckets }: AuditTimelineView): string[] {
  const most = Math.max(...buckets.map((bucket) => bucket.count));
  const barOf = (times: number) => '█'.repeat(Math.ceil((times / most) * barLength));
  const rows = buckets.map(({ at_millis: at, count: times, is_complete: isComplete }) => [
    timeOf(at),
    `${count(times)}${isComplete ? '' : '+'}`,
    times === 0 ? '' : barOf(times),
  ]);
  return columns(rows, [1]);
}

export const describeEventTypes = ({ items }: AuditEventTypeListView): string[] =>
  columns([
    ['TYPE', 'CATEGORY', 'TITLE', ''],
    ...items.map(({ type, category, text, is_technical: isTechnical, is_reversible: isReversible }) => {
      const notes = [isTechnical && 'technical', isReversible && 'can be undone'].filter(Boolean);
      return [type, category, text, notes.join(', ')];
    }),
  ]);

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];

export function describeEvent(event: AuditEventDetailView): string[] {
  const { origin, undo, changes } = event;
  const facts: [string, string | null | undefined][] = [
    ['Event', `${event.id} ${event.type}`],
    ['Time', timeOf(event.at_millis)],
    ['Actor', actorOf(event.actor)],
    ['Error', event.error_code],
    ['From', origin && [origin.ip, origin.country, origin.user_agent].filter(Boolean).join(', ')],
    ['Targets', event.targets.map((target) => targetOf(target)).join(', ')],
    ['Action', event.action_id],
    ['Undo', event.undone_by_action_id ? `undone by ${event.undone_by_action_id}` : undo.state.replaceAll('_', ' ')],
  ];
  return [
    textOf(event),
    ...columns(facts.flatMap(([name, value]) => (value ? [[`  ${name}`, value]] : []))),
    ...undo.reasons.map((reason) => `  ${reason}`),
    ...section('Changes', changes === null ? ['(too many earlier events to compute them)'] : changes.map(changeOf)),
    ...section('Same action', describeEvents(event.actions_same_request)),
    ...section('Effects', describeEvents(event.effects)),
  ];
}

export function describeExplanation(explanation: PermissionExplanationView): string[] {
  const { is_granted: isGranted, paths, nearest_miss: miss, would_grant: enough } = explanation;
  const place = explanation.team_id === null ? 'in the project' : `in team ${explanation.team_id}`;
  const verb = isGranted ? 'has' : 'does not have';
  return [
    `User ${explanation.user_id} ${verb} ${explanation.permission_id} ${place}.`,
    ...paths.flatMap(({ steps }, index) => section(paths.length > 1 ? `Path ${index + 1}` : 'Path', steps.map(stepOf))),
    ...section('Nearest miss', miss ? miss.steps.map(stepOf) : []),
    ...(enough.length > 0 ? [`One of these grants would be enough: ${enough.join(', ')}`] : []),
    ...(explanation.is_truncated ? ['There is more than is shown.'] : []),
  ];
}

function stepOf(step: PermissionStepView): string {
  const cause = step.until_event ?? step.since_event;
  const when = step.until_event ? 'until' : 'since';
  const by = cause ? `, ${when} ${timeOf(cause.at_millis)} by ${actorOf(cause.actor)} (event ${cause.id})` : '';
  return `${step.holds ? '✓' : '✗'} ${conditionOf(step)}${by}`;
}

function conditionOf({ kind, permission_id: id, contained_permission_id: contained }: PermissionStepView): string {
  switch (kind) {
    case 'membership':
      return 'member of the team';
    case 'grant':
      return `granted ${id}`;
    case 'default_grant':
      return `granted ${id} by default`;
    case 'containment':
      return `${id} contains ${contained}`;
    case 'definition':
      return `${id} is defined`;
  }
}

export function describeRejection(rejection: RejectionView): string[] {
  const { error_code: code, status, route, at_millis: at, caller, window, checks } = rejection;
  const facts = [code, status, route, at === null ? null : timeOf(at)].filter((fact) => fact !== null);
  const callerFacts = [caller.access_type, caller.actor && actorOf(caller.actor), caller.network].filter(Boolean);
  const windowLine = ({ count: times, ...of }: { count: number; error_code: string; route: string }) =>
    `${count(times)} × ${of.error_code} at ${of.route}`;
  const explanation = rejection.permission_explanation;
  return [
    `Request ${rejection.request_id} was rejected: ${facts.join(', ')}`,
    ...(callerFacts.length > 0 ? [`Caller: ${callerFacts.join(', ')}`] : []),
    ...(caller.user_id === null ? [] : [`Account: user ${caller.user_id}`]),
    ...(rejection.precision === 'window'
      ? ['Only what all requests of its five minutes have in common is known.']
      : []),
    ...section(
      'Checks',
      checks.map(({ name, passed, detail }) => `${passed === null ? '–' : passed ? '✓' : '✗'} ${name}: ${detail}`),
    ),
    ...section('In the same five minutes', window ? window.rejections.map(windowLine) : []),
    ...(explanation ? describeExplanation(explanation) : []),
  ];
}

export const describeChanges = (changes: readonly TargetChange[]): string[] =>
  section(
    'Changes',
    changes.map((change) => `${targetOf(change.target)} ${changeOf(change)}`),
  );

export const describePreview = ({ changes, effects }: PreviewView): string[] => [
  ...describeChanges(changes),
  ...section(
    'Effects',
    effects.map(({ text }) => text),
  ),
];

export function describeDiff({ target, from, to, changes, events, ...diff }: StateDiffView): string[] {
  const { existed_before: existed, exists_after: exists } = diff;
  const momentOf = ({ event_id: id, at_millis: at }: StateDiffView['from']) => `${timeOf(at)} (event ${id})`;
  const rows = events.map(({ id, type, at_millis: at, actor }) => [
    timeOf(at),
    nameOf({ ...actor, display_name: null }),
    type,
    id,
  ]);
  return [
    `${targetOf(target)}, from ${momentOf(from)} to ${momentOf(to)}`,
    ...(existed ? [] : [exists ? 'It did not exist before.' : 'It did not exist.']),
    ...(existed && !exists ? ['It no longer existed.'] : []),
    ...(changes.length > 0 ? section('Changes', changes.map(changeOf)) : existed && exists ? ['No changes.'] : []),
    ...section('Events', columns(rows)),
    ...(diff.has_more_events ? ['There are more events.'] : []),
  ];
}
