import { EmailErrorType, EmailType, TemplateType } from '@gatebook/domain/email/events';
import { z } from 'zod';
import { email, JsonValue, listOf, numberOf, text, textOf } from './common.ts';

/** A kind of mail that owners may word, in a path. */
export const templateType = textOf(TemplateType);

const content = z.record(z.string(), JsonValue);

export const EmailTemplateView = z
  .object({ type: TemplateType, subject: z.string(), content, is_default: z.boolean() })
  .meta({ id: 'EmailTemplate' });
export type EmailTemplateView = z.infer<typeof EmailTemplateView>;
export const EmailTemplateList = listOf(EmailTemplateView).meta({ id: 'EmailTemplateList' });

export const EmailTemplatePatch = z
  .strictObject({
    subject: text.optional(),
    content: JsonValue.refine((value) => value !== null, 'must not be null').optional(),
  })
  .meta({ id: 'EmailTemplatePatch', description: 'Parts left out stay, as does the subject when an empty one comes.' });
export type EmailTemplatePatch = z.infer<typeof EmailTemplatePatch>;

export const EmailPreviewRequest = z
  .strictObject({
    subject: text.optional(),
    content: JsonValue.optional(),
    variables: z.record(z.string(), text).optional(),
  })
  .meta({
    id: 'EmailPreviewRequest',
    description: 'What is left out comes from the stored template, variables from samples.',
  });
export type EmailPreviewRequest = z.infer<typeof EmailPreviewRequest>;

export const EmailPreview = z
  .object({ subject: z.string(), html: z.string(), text: z.string(), variables: z.array(z.string()) })
  .meta({ id: 'EmailPreview' });
export type EmailPreview = z.infer<typeof EmailPreview>;

const EmailErrorView = z.object({
  errorType: EmailErrorType,
  message: z.string(),
  canRetry: z.boolean(),
  rawError: z.string(),
});

export const SentEmailView = z
  .object({
    id: z.uuid(),
    subject: z.string(),
    sent_at_millis: z.number().int(),
    to: z.array(z.string()),
    sender_config: z.object({
      type: z.enum(['shared', 'standard']),
      host: z.string().nullable(),
      port: z.number().int().nullable(),
      username: z.string().nullable(),
      sender_name: z.string(),
      sender_email: z.string(),
    }),
    error: EmailErrorView.nullable(),
  })
  .meta({ id: 'SentEmail', description: 'One try to send a mail; `error` null: the server took it.' });
export type SentEmailView = z.infer<typeof SentEmailView>;
export const SentEmailList = listOf(SentEmailView).meta({ id: 'SentEmailList' });

export const UndeliveredEmailView = z
  .object({
    id: z.uuid(),
    type: EmailType,
    to: z.array(z.string()),
    subject: z.string(),
    requested_at_millis: z.number().int(),
    expires_at_millis: z.number().int(),
    error: EmailErrorView.nullable(),
  })
  .meta({ id: 'UndeliveredEmail', description: 'A mail that was given up; until it expires it can be sent again.' });
export type UndeliveredEmailView = z.infer<typeof UndeliveredEmailView>;
export const UndeliveredEmailList = listOf(UndeliveredEmailView).meta({ id: 'UndeliveredEmailList' });

export const TestEmail = z
  .strictObject({
    recipient_email: email,
    email_config: z.strictObject({
      host: text,
      port: numberOf(z.number().int().min(0).max(65_535)),
      username: text,
      password: textOf(z.string().max(70)),
      sender_name: text,
      sender_email: email,
    }),
  })
  .meta({ id: 'TestEmail' });
export type TestEmail = z.infer<typeof TestEmail>;

export const TestEmailResult = z
  .object({ success: z.boolean(), error_message: z.string().optional() })
  .meta({ id: 'TestEmailResult' });
export type TestEmailResult = z.infer<typeof TestEmailResult>;
