import { SetupPage } from '../features/setup/setup-page.tsx';
import { useApp } from '../lib/app.ts';
import { useNavigation } from '../lib/navigation.ts';
import { useSearchText } from './parameters.ts';

export default function SetupRoute() {
  const { client } = useApp();
  const { go } = useNavigation();
  const { token } = useSearchText();
  return (
    <SetupPage
      setup={client.setup}
      token={token ?? null}
      signInHref="/handler/sign-in"
      onDone={() => go('/projects', { replace: true })}
    />
  );
}
