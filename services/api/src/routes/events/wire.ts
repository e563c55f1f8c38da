import type { Json } from '@gatebook/contract/common';
import type { CloudEventView } from '@gatebook/contract/events/events';
import type { PublicEventView } from '@gatebook/contract/events/public-event-types';
import { toCursor } from '@gatebook/readmodel/events/cursor';
import { fromPublicId } from '@gatebook/readmodel/events/event-id';
import type { FeedPlace, PublicEvent } from '@gatebook/readmodel/events/feed';
import type { Deps } from '../../deps.ts';
import { issuerOf } from '../../tokens.ts';
import { cloudEventAttributes } from '../audit-exports/cloud-event.ts';

type WireDeps = Pick<Deps, 'responseCipher' | 'store' | 'config'>;
type Item = { event: PublicEvent; after: FeedPlace };

export async function toEventView(deps: WireDeps, projectId: string, { event, after }: Item): Promise<PublicEventView> {
  const { id, type, at, actor, requestId, data } = event;
  const cursor = await toCursor(deps, projectId, after, fromPublicId(id)?.eventId);
  return {
    ...{ id, type, created_at_millis: at, cursor, request_id: requestId },
    actor: actor as PublicEventView['actor'],
    data: data as Record<string, Json>,
  };
}

/** CloudEvents 1.0 in structured mode, with the cursor as an extension attribute. */
function toCloudEventView({ config }: WireDeps, projectId: string, view: PublicEventView): CloudEventView {
  const { publicUrl } = config.http;
  const { id, type, created_at_millis, cursor, data } = view;
  const subject = data.user_id ?? data.team_id ?? data.id;
  const attributes = cloudEventAttributes({
    id,
    source: issuerOf(publicUrl, projectId),
    type,
    subject: typeof subject === 'string' ? subject : undefined,
    at: created_at_millis,
    schema: `${publicUrl}/api/v1/events/types#${type}`,
  });
  return { ...attributes, cursor, data };
}

/** Items in the form that the request asks for. */
export async function toViews(
  deps: WireDeps,
  projectId: string,
  items: readonly Item[],
  format: 'gatebook' | 'cloudevents' = 'gatebook',
): Promise<(PublicEventView | CloudEventView)[]> {
  const views = await Promise.all(items.map((item) => toEventView(deps, projectId, item)));
  return format === 'gatebook' ? views : views.map((view) => toCloudEventView(deps, projectId, view));
}
