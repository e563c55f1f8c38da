import { useTexts } from '../texts/use-texts.ts';
import { useHandler } from './context.ts';
import { EmailForm } from './email-form.tsx';

export type SentCode = { email: string; nonce: string };
type EmailCodeFormProps = { email: string; onEmail: (email: string) => void; onSent: (sent: SentCode) => void };

/** Asks for the email address and sends a sign-in code to it. */
export function EmailCodeForm({ email, onEmail, onSent }: EmailCodeFormProps) {
  const { t } = useTexts();
  const { app, storeLastUsed } = useHandler();
  const send = async (address: string) => {
    const callbackUrl = app.redirects.callbackUrl('magicLinkCallback');
    const { nonce } = await app.auth.sendSignInCode({ email: address, callbackUrl });
    storeLastUsed('magic-link');
    onSent({ email: address, nonce });
  };
  return <EmailForm email={email} onEmail={onEmail} submitLabel={t('Email me a code')} submit={send} />;
}
