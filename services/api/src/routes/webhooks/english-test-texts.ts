import type { WebhookResult } from '@gatebook/commands/webhook/sender';

/** Why a test of an endpoint failed. */
export type WebhookTestTexts = Readonly<
  Record<Exclude<NonNullable<WebhookResult['errorCode']>, 'timeout'>, string> & {
    timeout: (seconds: number) => string;
    status: (status: number | null) => string;
  }
>;

export const englishWebhookTests: WebhookTestTexts = {
  timeout: (seconds) => `The endpoint did not respond within ${seconds} seconds.`,
  unreachable: 'The endpoint could not be reached.',
  forbidden: 'The URL leads to a private network, to this machine, or to a metadata service.',
  event_unavailable: 'The event no longer exists.',
  status: (status) => `The endpoint answered with status ${status}.`,
};
