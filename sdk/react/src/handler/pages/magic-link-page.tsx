import { useAction } from '../../use-action.ts';
import { DeadLinkCard, SignedInCard, UnknownErrorCard } from '../cards.tsx';
import { useHandler, useProductName, useUser } from '../context.ts';
import { addressFault, codeFault } from '../error-messages.ts';
import { LoadingCard } from '../frame.tsx';
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
  const { url } = useHandler();
  const user = useUser();
  const signIn = useSignIn();
  const code = url.searchParams.get('code');
  if (signIn.stage.at === 'start') {
    if (user.error !== undefined) return <UnknownErrorCard error={user.error} />;
    if (user.value === undefined) return <LoadingCard title={title} label="Loading" />;
    if (user.value !== null) return <SignedInCard />;
    if (!code) return <DeadLinkCard fault="invalid" next="Open it again from the email." />;
  }
  return (
    <SignInStages signIn={signIn} title={title}>
      <ConfirmSignIn code={code ?? ''} runSignIn={signIn.runSignIn} />
    </SignInStages>
  );
}

function ConfirmSignIn({ code, runSignIn }: { code: string; runSignIn: RunSignIn }) {
  const { app } = useHandler();
  const product = useProductName();
  const enter = useAction(() => runSignIn(() => app.auth.signInWithCode(code)));
  const fault = codeFault(enter.error);
  if (fault !== null) return <DeadLinkCard fault={fault} next={next} />;
  if (enter.error !== undefined) {
    const about = addressFault(enter.error);
    return <UnknownErrorCard error={about === null ? enter.error : new Error(`${about}.`)} />;
  }
  return (
    <MessageCard
      title={product ? `Sign in to ${product}?` : 'Sign in?'}
      icon={<DoorIcon />}
      primary={{ label: 'Sign in', onPress: () => void enter.run(), isBusy: enter.isRunning }}
      secondary={{ label: 'Cancel', to: 'home' }}
    >
      You opened the link from a sign-in email. It works only once.
    </MessageCard>
  );
}
