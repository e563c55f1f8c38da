import type { WebhookTestTexts } from '../routes/webhooks/english-test-texts.ts';

export const germanWebhookTests: WebhookTestTexts = {
  timeout: (seconds) => `Der Endpunkt hat nicht innerhalb von ${seconds} Sekunden geantwortet.`,
  unreachable: 'Der Endpunkt ist nicht erreichbar.',
  forbidden: 'Die URL führt in ein privates Netzwerk, auf diesen Rechner oder zu einem Metadatendienst.',
  event_unavailable: 'Das Ereignis gibt es nicht mehr.',
  status: (status) => `Der Endpunkt hat mit Status ${status} geantwortet.`,
};
