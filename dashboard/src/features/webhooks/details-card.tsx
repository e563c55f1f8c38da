import type { WebhookEndpoint } from '@gatebook/js/admin';
import { plural, t } from '@lingui/core/macro';
import { Fact, Facts } from '../../components/facts.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { Card } from '../../components/states.tsx';
import { orderings, typesText } from './texts.ts';

/** What the endpoint gets, and how. */
export function DetailsCard({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { types, ordering, rateLimitPerSecond, headerNames, createdAt, id } = endpoint;
  return (
    <Card title={t`Settings`} labelId="settings-title">
      <Facts>
        <Fact name={t`Events`}>{typesText(types)}</Fact>
        <Fact name={t`Order`}>{orderings.find(({ value }) => value === ordering)?.label}</Fact>
        <Fact name={t`Rate limit`}>
          {rateLimitPerSecond === null
            ? t`No limit`
            : t`${plural(rateLimitPerSecond, { one: '# request', other: '# requests' })} per second`}
        </Fact>
        <Fact name={t`Headers`}>{headerNames.length === 0 ? t`None` : headerNames.join(', ')}</Fact>
        <Fact name={t`Created`}>
          <RelativeTime at={createdAt} />
        </Fact>
        <Fact name={t`ID`}>
          <code>{id}</code>
        </Fact>
      </Facts>
    </Card>
  );
}
