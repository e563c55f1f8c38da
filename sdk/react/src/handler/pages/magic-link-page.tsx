import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { LoadingCard } from '../card.tsx';
import { DeadLinkCard, SignedInCard, UnknownErrorCard } from '../cards.tsx';
import { useHandler, useProductName, useUser } from '../context.ts';
import { addressFault, codeFault } from '../error-messages.ts';
import { DoorIcon } from '../icons.tsx';
import { MessageCard } from '../message-card.tsx';
import { SignInStages } from '../stages.tsx';
import { type RunSignIn, useSignIn } from '../use-sign-in.ts';

const title = 'Sign in';
const next = 'Request a new email on the sign-in page.';

/**
 * The button redeems the code; opening the link does not, because mail scanners open links too (protocol, client §3.9).
 */
export function MagicLinkPage() {
  const { t } = useTexts();
  const { url } = useHandler();
  const user = useUser();
  const signIn = useSignIn();
  const code = url.searchParams.get('code');
  if (signIn.stage.at === 'start') {
    if (user.error !== undefined) return <UnknownErrorCard error={user.error} />;
    if (user.value === undefined) return <LoadingCard title={t(title)} label={t('Loading')} />;
    if (user.value !== null) return <SignedInCard />;
    if (!code) return <DeadLinkCard fault="invalid" next={t('Open it again from the email.')} />;
  }
  return (
    <SignInStages signIn={signIn} title={t(title)}>
      <ConfirmSignIn code={code ?? ''} runSignIn={signIn.runSignIn} />
    </SignInStages>
  );
}

function ConfirmSignIn({ code, runSignIn }: { code: string; runSignIn: RunSignIn }) {
  const { t } = useTexts();
  const { app } = useHandler();
  const product = useProductName();
  const enter = useAction(() => runSignIn(() => app.auth.signInWithCode(code)));
  const fault = codeFault(enter.error);
  if (fault !== null) return <DeadLinkCard fault={fault} next={t(next)} />;
  if (enter.error !== undefined) {
    const about = addressFault(enter.error);
    return <UnknownErrorCard error={about === null ? enter.error : new Error(`${t(about)}.`)} />;
  }
  return (
    <MessageCard
      title={product ? t('Sign in to {product}?', { product }) : t('Sign in?')}
      icon={<DoorIcon />}
      primary={{ label: t('Sign in'), onPress: () => void enter.run(), isBusy: enter.isRunning }}
      secondary={{ label: t('Cancel'), to: 'home' }}
    >
      {t('You opened the link from a sign-in email. It works only once.')}
    </MessageCard>
  );
}
