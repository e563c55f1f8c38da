import { LinkButton } from './components/app-link.tsx';
import { EntryPage } from './components/entry-page.tsx';
import { useTitle } from './lib/use-title.ts';

export function NotFoundPage() {
  useTitle('Not found');
  return (
    <EntryPage title="There is no such page" lead="The link may not be whole, or the page has moved.">
      <LinkButton href="/projects">All projects</LinkButton>
    </EntryPage>
  );
}
