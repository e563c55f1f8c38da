import { AnyEmailType, EmailErrorType, TemplateType } from '@gatebook/domain/email/events';
import { languages } from '@gatebook/domain/email/languages';
import { z } from 'zod';
import {
  email,
  filledTextUpTo,
  JsonValue,
  jsonUpTo,
  listOf,
  name,
  numberOf,
  pagedListOf,
  pageFields,
  textOf,
  textUpTo,
  url,
} from './common.ts';

/** A type of email with a template, in a path. */
export const templateType = textOf(TemplateType);

/** A language that emails exist in, in a path or a body. */
export const templateLanguage = textOf(z.enum(languages));

const content = z.record(z.string(), JsonValue);

/** Maximum line length (RFC 5322 §2.1.1). */
export const subject = textUpTo(998);
const newContent = jsonUpTo(262_144);
const newTemplateContent = newContent.refine((value) => value !== null, 'must not be null');
const maxVariables = 100;
export const variables = z
  .record(z.string().max(64), textUpTo(10_000))
  .refine((given) => Object.keys(given).length <= maxVariables, `must not have more than ${maxVariables} entries`)
  .meta({ maxProperties: maxVariables });

export const EmailTemplateView = z
  .object({ type: TemplateType, subject: z.string(), content, is_default: z.boolean() })
  .meta({ id: 'EmailTemplate' });
export type EmailTemplateView = z.infer<typeof EmailTemplateView>;
export const EmailTemplateList = listOf(EmailTemplateView).meta({ id: 'EmailTemplateList' });

/** What a reader of a language gets. */
const source = z.enum(['version', 'default_version', 'built_in']);
export type TemplateSource = z.infer<typeof source>;
const version = { type: TemplateType, language: z.enum(languages), source };

export const EmailTemplateText = z.object(version).meta({ id: 'EmailTemplateText' });
export const EmailTemplateTextList = listOf(EmailTemplateText).meta({ id: 'EmailTemplateTextList' });
export type EmailTemplateText = z.infer<typeof EmailTemplateText>;

export const EmailTemplateVersionView = z
  .object({ ...version, subject: z.string(), content, built_in: z.object({ subject: z.string(), content }) })
  .meta({
    id: 'EmailTemplateVersion',
    description: '`built_in`: Gatebook’s text in the language, which a reader gets while no version is edited.',
  });
export type EmailTemplateVersionView = z.infer<typeof EmailTemplateVersionView>;

export const EmailTemplatePatch = z
  .strictObject({
    subject: subject.optional(),
    content: newTemplateContent.optional(),
  })
  .meta({ id: 'EmailTemplatePatch', description: 'Parts left out stay, as does the subject when an empty one comes.' });
export type EmailTemplatePatch = z.infer<typeof EmailTemplatePatch>;

export const EmailTemplateReplacement = z
  .strictObject({ subject: filledTextUpTo(998), content: newTemplateContent })
  .meta({ id: 'EmailTemplateReplacement' });
export type EmailTemplateReplacement = z.infer<typeof EmailTemplateReplacement>;

export const EmailPreviewRequest = z
  .strictObject({
    subject: subject.optional(),
    content: newContent.optional(),
    variables: variables.optional(),
    language: templateLanguage.optional(),
  })
  .meta({
    id: 'EmailPreviewRequest',
    description:
      'Missing fields are those of the text that is sent in the language or, without a language, of the default version. Variables have sample values, and dates follow the language.',
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

export const EmailsQuery = z.strictObject(pageFields);
export type EmailsQuery = z.infer<typeof EmailsQuery>;

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
export const SentEmailList = pagedListOf(SentEmailView).meta({ id: 'SentEmailList' });

export const UndeliveredEmailView = z
  .object({
    id: z.uuid(),
    type: AnyEmailType,
    to: z.array(z.string()),
    subject: z.string(),
    requested_at_millis: z.number().int(),
    expires_at_millis: z.number().int(),
    error: EmailErrorView.nullable(),
  })
  .meta({ id: 'UndeliveredEmail', description: 'A mail that was given up; until it expires it can be sent again.' });
export type UndeliveredEmailView = z.infer<typeof UndeliveredEmailView>;
export const UndeliveredEmailList = pagedListOf(UndeliveredEmailView).meta({ id: 'UndeliveredEmailList' });

export const TestEmail = z
  .strictObject({
    recipient_email: email,
    email_config: z.strictObject({
      host: textUpTo(255),
      port: numberOf(z.number().int().min(0).max(65_535)),
      username: textUpTo(1_024),
      password: textOf(z.string().max(70)),
      sender_name: name,
      sender_email: email,
    }),
  })
  .meta({ id: 'TestEmail' });
export type TestEmail = z.infer<typeof TestEmail>;

export const SignInInvitation = z.strictObject({ email, callback_url: url }).meta({ id: 'SignInInvitation' });

export const TestEmailResult = z
  .object({ success: z.boolean(), error_message: z.string().optional() })
  .meta({ id: 'TestEmailResult' });
export type TestEmailResult = z.infer<typeof TestEmailResult>;

export const TemplateTestResult = TestEmailResult.extend({ recipient_email: z.string() }).meta({
  id: 'TemplateTestResult',
});
export type TemplateTestResult = z.infer<typeof TemplateTestResult>;
