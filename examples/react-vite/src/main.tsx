import { StackProvider, StackTheme } from '@stackframe/react';
import { StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { gatebook } from './gatebook.ts';

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <StackProvider app={gatebook}>
        <StackTheme>
          {/* The hooks suspend while they load. */}
          <Suspense fallback={<p>Loading …</p>}>
            <App />
          </Suspense>
        </StackTheme>
      </StackProvider>
    </StrictMode>,
  );
