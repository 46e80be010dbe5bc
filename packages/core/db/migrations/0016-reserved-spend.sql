-- A day's budget holds however many calls begin at once: a call reserves what it may cost at most until its bill comes. Where the bill
-- never comes, because its process died, what was reserved counts as spent.
alter table ledger add column reserved double precision not null default 0;

-- What a house has spent since midnight in UTC: by bills, by reservations whose bill is surely lost, and by those that wait for theirs.
-- A call ends with its turn, which has fifteen minutes and one for its last word.
create function ledger_today(p_house text, out billed double precision, out lost double precision, out pending double precision)
  language sql volatile as $$
  select coalesce(sum(cost), 0)::float8,
      coalesce(sum(reserved) filter (where settled_at is null and started_at <= clock_timestamp() - interval '20 minutes'), 0),
      coalesce(sum(reserved) filter (where settled_at is null and started_at > clock_timestamp() - interval '20 minutes'), 0)
    from ledger
    where house_id = p_house
      and started_at >= date_trunc('day', clock_timestamp() at time zone 'utc') at time zone 'utc'
$$;

-- Writes a call down unless the house's budget has no room: then nothing is written. Calls with a price go through here one after the
-- other in a house with a budget, so that each sees what those before it reserved; together they pass the budget by one of them at most.
create function ledger_open(p_call json) returns boolean language plpgsql as $$
declare
  v_house text := p_call ->> 'houseId';
  v_budget double precision;
  v_today record;
begin
  if (p_call ->> 'most')::float8 > 0 then
    select budget_per_day::float8 into v_budget from houses where id = v_house;
  end if;
  if v_budget is not null then
    perform 1 from houses where id = v_house for no key update;
    select * into v_today from ledger_today(v_house);
    if v_today.billed + v_today.lost + v_today.pending >= v_budget then
      return false;
    end if;
  end if;
  insert into ledger (call_id, house_id, thread_id, decision, bot_id, purpose, model, asked, reserved)
    values (p_call ->> 'callId', v_house, p_call ->> 'threadId', (p_call ->> 'decision')::bigint, p_call ->> 'botId',
      p_call ->> 'purpose', p_call ->> 'model', p_call -> 'asked', (p_call ->> 'most')::float8);
  return true;
end
$$;
