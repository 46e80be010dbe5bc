import { createClient } from '@arbe/sdk/client'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { HouseStore } from './house/house-store.ts'
import './styles.css'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no root element')
const store = new HouseStore(createClient({ baseUrl: '' }), localStorage)
createRoot(root).render(
  <StrictMode>
    <App store={store} />
  </StrictMode>,
)
