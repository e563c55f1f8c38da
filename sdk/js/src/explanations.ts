import type { PermissionExplanationView, PermissionStepView, RejectionView } from '@gatebook/contract/explanations';
import { fromWire, queryOf } from './app/fields.ts';
import type { Send } from './transport.ts';

type Named = { kind: string; id: string | null; displayName: string | null };

/** The event that made something begin or end, and who caused it. */
export type Cause = { id: string; type: string; at: Date; actor: Named & { impersonator: Named | null } };

/** One condition of a path from the user to the permission. */
export type PermissionStep = {
  kind: 'membership' | 'grant' | 'default_grant' | 'containment' | 'definition';
  /** null: the step is a membership. */
  permissionId: string | null;
  containedPermissionId: string | null;
  holds: boolean;
  /** `high`: the answer would change if this step alone were different. */
  relevance: 'high' | 'normal';
  sinceEvent: Cause | null;
  untilEvent: Cause | null;
};
export type PermissionPath = { steps: readonly PermissionStep[] };

export type PermissionExplanation = {
  isGranted: boolean;
  scope: 'team' | 'project';
  permissionId: string;
  userId: string;
  teamId: string | null;
  /** null: it explains the present. */
  asOfEventId: string | null;
  /** Every way in which the user has the permission. */
  paths: readonly PermissionPath[];
  /** If it is not granted: the path with the fewest steps that do not hold. */
  nearestMiss: PermissionPath | null;
  /** If it is not granted: permissions of which one grant is enough. */
  wouldGrant: readonly string[];
  isTruncated: boolean;
};

/** `passed` is null if an earlier check failed first. */
export type RejectionCheck = { name: string; passed: boolean | null; detail: string };

/** Why a request was rejected. */
export type Rejection = {
  requestId: string;
  /** `window`: only what is known of all rejections of that time like this one. */
  precision: 'request' | 'window';
  errorCode: string | null;
  status: number | null;
  route: string | null;
  at: Date | null;
  caller: {
    accessType: string | null;
    actor: Cause['actor'] | null;
    /** The account that the request was about. */
    userId: string | null;
    network: string | null;
  };
  window: {
    fromMillis: number;
    untilMillis: number;
    rejections: readonly { errorCode: string; route: string; count: number }[];
  } | null;
  /** In the order in which they run. The first that did not pass is the cause. */
  checks: readonly RejectionCheck[];
  permissionExplanation: PermissionExplanation | null;
};

/** `teamId` for a permission in a team. */
export type PermissionQuestion = { userId: string; permissionId: string; teamId?: string };

export type ExplanationsClient = {
  /** Why a user has a permission, or not. */
  permission(question: PermissionQuestion): Promise<PermissionExplanation>;
  rejection(requestId: string): Promise<Rejection>;
};

export const explanationsClient = (send: Send): ExplanationsClient => ({
  permission: async (question) =>
    toExplanation(
      await send<PermissionExplanationView>('GET', `/internal/permission-explanations${queryOf(question)}`),
    ),
  rejection: async (requestId) => {
    const path = `/internal/rejections/${encodeURIComponent(requestId)}`;
    const { at_millis: at, permission_explanation: explanation, ...view } = await send<RejectionView>('GET', path);
    return {
      ...fromWire(view),
      at: at === null ? null : new Date(at),
      permissionExplanation: explanation && toExplanation(explanation),
    };
  },
});

const toExplanation = ({
  paths,
  nearest_miss: nearestMiss,
  ...view
}: PermissionExplanationView): PermissionExplanation => ({
  ...fromWire(view),
  paths: paths.map(toPath),
  nearestMiss: nearestMiss && toPath(nearestMiss),
});

const toPath = ({ steps }: { steps: readonly PermissionStepView[] }): PermissionPath => ({
  steps: steps.map(({ since_event: since, until_event: until, ...step }) => ({
    ...fromWire(step),
    sinceEvent: since && toCause(since),
    untilEvent: until && toCause(until),
  })),
});

const toCause = ({ at_millis: at, ...cause }: NonNullable<PermissionStepView['since_event']>): Cause => ({
  ...fromWire(cause),
  at: new Date(at),
});
