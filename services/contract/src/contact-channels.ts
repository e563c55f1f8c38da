import { z } from 'zod';
import { signInEmail, url } from './common.ts';

export const SendVerificationCode = z.strictObject({ callback_url: url }).meta({ id: 'SendVerificationCode' });
export type SendVerificationCode = z.infer<typeof SendVerificationCode>;

/** The older form, for the primary address alone. */
export const SendPrimaryVerificationCode = z
  .strictObject({ email: signInEmail, callback_url: url })
  .meta({ id: 'SendPrimaryVerificationCode' });
export type SendPrimaryVerificationCode = z.infer<typeof SendPrimaryVerificationCode>;
