import type { RiskScores, UserEvent } from './events.ts';
import type { ActiveUser } from './state.ts';

/**
 * Restricts the user, lifts the restriction or changes its texts. undefined: unchanged. A restricted user can't sign
 * in. Only servers see the private details.
 */
type ChangeAdminRestriction = {
  type: 'ChangeAdminRestriction';
  isRestricted: boolean | undefined;
  reason: string | null | undefined;
  privateDetails: string | null | undefined;
  at: string;
};
/** ISO 3166-1 alpha-2. */
type ChangeCountryCode = { type: 'ChangeCountryCode'; countryCode: string | null; at: string };
type ChangeRiskScores = { type: 'ChangeRiskScores'; riskScores: RiskScores | null; at: string };

export type AdminFieldCommand = ChangeAdminRestriction | ChangeCountryCode | ChangeRiskScores;

/** Decides changes of fields that only servers set. */
export function decideAdminField(command: AdminFieldCommand, user: ActiveUser): readonly UserEvent[] {
  const { userId } = user;
  switch (command.type) {
    case 'ChangeAdminRestriction':
      return changeAdminRestriction(command, user);
    case 'ChangeCountryCode':
      return [{ type: 'UserCountryCodeChanged', data: { userId, countryCode: command.countryCode, at: command.at } }];
    case 'ChangeRiskScores':
      return [{ type: 'UserRiskScoresChanged', data: { userId, riskScores: command.riskScores, at: command.at } }];
  }
}

function changeAdminRestriction(command: ChangeAdminRestriction, user: ActiveUser): readonly UserEvent[] {
  const { userId, adminRestriction: before } = user;
  const { isRestricted = before !== null, at } = command;
  if (!isRestricted) return before === null ? [] : [{ type: 'UserRestrictionLifted', data: { userId, at } }];
  const { reason = before?.reason ?? null, privateDetails = before?.privateDetails ?? null } = command;
  if (before !== null) {
    if (before.reason === reason && before.privateDetails === privateDetails) return [];
    return [{ type: 'UserRestrictionChanged', data: { userId, reason, privateDetails, at } }];
  }
  return [
    { type: 'UserRestricted', data: { userId, reason, privateDetails, at } },
    { type: 'UserSessionsEnded', data: { userId, keptSessionId: null, reason: 'restriction', at } },
  ];
}
