import { DeliveryPage } from '../features/webhooks/delivery-page.tsx';
import { useParam } from './parameters.ts';
import { useWebhooks } from './use-webhooks.ts';

export default function WebhookDeliveryRoute() {
  const deliveryId = useParam('deliveryId');
  return (
    <DeliveryPage key={deliveryId} {...useWebhooks()} endpointId={useParam('endpointId')} deliveryId={deliveryId} />
  );
}
