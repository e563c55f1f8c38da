import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { expect, test } from 'vitest';
import { signWebhook } from './standard-webhooks.ts';

test('check 12: receivers with either secret accept what is signed with both', () => {
  const secrets = [1, 2].map((fill) => `whsec_${Buffer.alloc(32, fill).toString('base64')}`);
  const body = '{"type":"user.created"}';
  const headers = signWebhook({ id: 'evt_1', at: new Date().toISOString(), body, secrets });
  for (const secret of secrets) {
    for (const receiver of [new Webhook(secret), new SvixWebhook(secret)]) {
      expect(() => receiver.verify(body, headers)).not.toThrow();
    }
  }
  const other = new Webhook(`whsec_${Buffer.alloc(32, 3).toString('base64')}`);
  expect(() => other.verify(body, headers)).toThrow();
});
