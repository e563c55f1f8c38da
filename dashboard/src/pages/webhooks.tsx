import { WebhooksPage } from '../features/webhooks/webhooks-page.tsx';
import { useWebhooks } from './use-webhooks.ts';

export default function WebhooksRoute() {
  return <WebhooksPage {...useWebhooks()} />;
}
