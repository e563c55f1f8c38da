import { OperationsPage } from '../features/operations/operations-page.tsx';
import { useApp } from '../lib/app.ts';

export default function OperationsRoute() {
  return <OperationsPage operations={useApp().client.operations} />;
}
