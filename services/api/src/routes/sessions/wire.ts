import type { SessionView } from '@gatebook/contract/sessions';
import { parseDevice } from '@gatebook/readmodel/sessions/device';
import type { SessionRow } from '@gatebook/readmodel/sessions/queries';

export function toSessionView(session: SessionRow, currentSessionId: string | null): SessionView {
  const { lastUsedAt, ip, country } = session;
  return {
    id: session.id,
    user_id: session.userId,
    created_at: session.createdAt,
    is_impersonation: session.isImpersonation,
    ...(lastUsedAt === null ? {} : { last_used_at: lastUsedAt }),
    is_current_session: session.id === currentSessionId,
    device: parseDevice(session.userAgent),
    ...(ip === null ? {} : { last_used_at_end_user_ip_info: { ip, countryCode: country } }),
  };
}
