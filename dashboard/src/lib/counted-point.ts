import { t } from '@lingui/core/macro';
import { countryName } from './country-name.ts';
import { translateDevice } from './device-name.ts';
import { formatSpan, formatUtcDay } from './format.ts';
import { methodName } from './sign-in-methods.ts';

/** `joined`, `verified` and `returned`: steps of the funnel. */
export type CountedKind = 'sign_ups' | 'sign_ins' | 'active_users' | 'joined' | 'verified' | 'returned';
/** `value`: empty if unknown. `cohort`: the day on which the week of joining began. */
export type CountedGroup = { by: 'method' | 'country' | 'device' | 'kind' | 'cohort'; value: string };
/** A number of the overview. `until` is exclusive. */
export type CountedPoint = { kind: CountedKind; from: Date; until: Date; group?: CountedGroup | undefined };

const DAY_MS = 86_400_000;
/** Who was active on an earlier day is forgotten. */
const KEPT_DAYS = 32;

/** As in URLs, and as the API reads it. */
export const writePoint = ({ kind, from, until, group }: CountedPoint): string =>
  [kind, `${from.getTime()}-${until.getTime()}`, ...(group ? [group.by, group.value] : [])].join(':');

const form =
  /^(sign_ups|sign_ins|active_users|joined|verified|returned):(\d{1,14})-(\d{1,14})(?::(method|country|device|kind|cohort):(.{0,100}))?$/;

/** null for anything else. */
export function readPoint(text: string | undefined): CountedPoint | null {
  const [, kind, from, until, by, value = ''] = form.exec(text ?? '') ?? [];
  if (kind === undefined || Number(until) <= Number(from)) return null;
  const group = by === undefined ? undefined : { by: by as CountedGroup['by'], value };
  return { kind: kind as CountedKind, from: new Date(Number(from)), until: new Date(Number(until)), group };
}

/** The list of the people of a point; null if it is not known who they were. */
export function countedHref(projectId: string, point: CountedPoint, now = Date.now()): string | null {
  const isByActivity = ['sign_ins', 'active_users', 'returned'].includes(point.kind);
  if (point.kind === 'active_users' && point.from.getTime() <= now - KEPT_DAYS * DAY_MS) return null;
  const search = new URLSearchParams({ ...(isByActivity && { order: 'active' }), counted: writePoint(point) });
  return `/projects/${projectId}/users?${search}`;
}

const kinds: Readonly<Record<CountedKind, (span: string) => string>> = {
  sign_ups: (span) => t`Signed up ${span}`,
  sign_ins: (span) => t`Signed in ${span}`,
  active_users: (span) => t`Active ${span}`,
  joined: (span) => t`Signed up ${span}`,
  verified: (span) => t`Signed up ${span} and verified an email address`,
  returned: (span) => t`Signed up ${span}, verified an email address and came back on another day`,
};

function nameOf({ by, value }: CountedGroup): string {
  if (value === '') return t`unknown`;
  if (by === 'method') return methodName(value);
  if (by === 'country') return countryName(value);
  if (by === 'device') return translateDevice(value);
  if (by === 'cohort') return t`signed up in the week of ${formatUtcDay(value)}`;
  return value === 'new' ? t`new` : t`returning`;
}

/** A point as people read it. */
export const describePoint = ({ kind, from, until, group }: CountedPoint): string =>
  [kinds[kind](formatSpan({ from, until })), ...(group ? [nameOf(group)] : [])].join(' · ');
