import type { WebhookResult } from '@gatebook/commands/webhook/sender';
import { germanWebhookTests } from '../../german/webhook-tests.ts';
import type { InEachLanguage, TextLanguage } from '../../http/text-language.ts';
import { englishWebhookTests, type WebhookTestTexts } from './english-test-texts.ts';

const texts: InEachLanguage<WebhookTestTexts> = { en: englishWebhookTests, de: germanWebhookTests };

type Failure = Pick<WebhookResult, 'statusCode' | 'errorCode'>;

export function webhookTestText(language: TextLanguage, { statusCode, errorCode }: Failure, deadlineMs: number) {
  const { timeout, status, ...others } = texts[language];
  if (errorCode === null) return status(statusCode);
  return errorCode === 'timeout' ? timeout(deadlineMs / 1_000) : others[errorCode];
}
