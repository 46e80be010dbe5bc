-- Looking at a decision without making it: who would speak if something were said.

-- What a claim would read now, with nothing claimed and nothing changed. A thread that was never claimed has no row to be read by: one
-- is made for this look alone, and taken back with the block before anybody can see it.
create function director_peek(p_thread text, p_recent int) returns json language plpgsql as $$
declare
  v_capture json := director_capture(p_thread, p_recent, null);
begin
  if v_capture is not null then
    return v_capture;
  end if;
  begin
    perform director_ensure(p_thread);
    v_capture := director_capture(p_thread, p_recent, null);
    raise exception 'the row is taken back' using errcode = 'ARB01';
  exception when sqlstate 'ARB01' then
    return v_capture;
  end;
end
$$;

-- A preview spends money like a decision and has none of its effects, so that no sum over decisions may count it.
alter table ledger drop constraint ledger_purpose_check;
alter table ledger add constraint ledger_purpose_check check (purpose in ('decide', 'turn', 'preview'));
