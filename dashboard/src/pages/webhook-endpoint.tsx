import { EndpointPage } from '../features/webhooks/endpoint-page.tsx';
import { useParam } from './parameters.ts';
import { useWebhooks } from './use-webhooks.ts';

export default function WebhookEndpointRoute() {
  const endpointId = useParam('endpointId');
  return <EndpointPage key={endpointId} {...useWebhooks()} endpointId={endpointId} />;
}
