import { isKnownError } from '@gatebook/js/errors';
import { useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { Card, LoadingCard } from '../card.tsx';
import { EmailSentCard, SignedInCard, UnknownErrorCard } from '../cards.tsx';
import { useHandler, useUser } from '../context.ts';
import { PageLink } from '../controls.tsx';
import { EmailForm } from '../email-form.tsx';

const title = 'Reset your password';

/** Shows the same result for every address, so that nobody learns who has an account. */
export function ForgotPasswordPage() {
  const { t } = useTexts();
  const user = useUser();
  const [isSent, setSent] = useState(false);
  if (user.error !== undefined) return <UnknownErrorCard error={user.error} />;
  if (user.value === undefined) return <LoadingCard title={t(title)} label={t('Loading')} />;
  if (user.value !== null) return <SignedInCard />;
  return isSent ? <EmailSentCard /> : <SendResetLink onSent={() => setSent(true)} />;
}

function SendResetLink({ onSent }: { onSent: () => void }) {
  const { t, rich } = useTexts();
  const { app } = useHandler();
  const [email, setEmail] = useState('');
  const send = async (address: string) => {
    try {
      const callbackUrl = app.redirects.callbackUrl('passwordReset');
      await app.auth.sendPasswordResetCode({ email: address, callbackUrl });
    } catch (error) {
      if (!isKnownError(error, 'USER_NOT_FOUND')) throw error;
    }
    onSent();
  };
  return (
    <Card
      title={t(title)}
      lead={t("We'll email you a link to set a new password.")}
      foot={rich('Remember your password? {link}', { link: <PageLink to="signIn">{t('Sign in')}</PageLink> })}
    >
      <EmailForm email={email} onEmail={setEmail} submitLabel={t('Email me a reset link')} submit={send} />
    </Card>
  );
}
