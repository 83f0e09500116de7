// The live page. It receives a snapshot after each command over the WebSocket, and asks for the film of a run, and about a
// node or a value when it is clicked.
'use strict';
const el=id=>document.getElementById(id);
const still=new URLSearchParams(location.search).has('still'),WIDE=1700,OUTPUTS=4,SIZE=17;
let version=-1,state={},size=SIZE,socket=null,asked=0,chosen=null,events=0,known=new Set(),mode='auto',latest='graph';
const answers=new Map(),shown={},films={}; // films.run, films.other
let graph=null; // the drawing of the graph

function ask(question,then){
  if(!socket||socket.readyState!==1)return then&&then(null);
  const id=++asked;
  answers.set(id,then);
  socket.send(JSON.stringify({id,...question}));
}
const promise=question=>new Promise(then=>ask(question,then));
function part(box,tag,text,name){
  const e=make(tag,{},box,text);
  if(name)e.className=name;
  return e;
}
function button(box,text,title,act){
  const b=make('button',{title,'aria-label':title},box,text);
  b.onclick=act;
  return b;
}

// ---- the drawings. `of` is "graph" or the number of a run.
function source(of,data){
  const around=name=>{
    for(const key in data.levels)
      if(data.levels[key].items.some(item=>item.name===name)){
        const keys=[];
        for(let at=key;at;at=data.levels[at].up)keys.unshift(at);
        return keys;
      }
    return [];
  };
  return {
    data,
    around,
    level:async key=>{
      const level=await promise({level:key,of});
      if(level&&level.items)data.levels[key]=level;
      return level&&level.items?level:null;
    },
    find:async text=>(await promise({find:text}))||{names:[],count:0},
    path:async name=>{
      const answer=await promise({path:name,of});
      return answer?answer.keys:around(name);
    },
  };
}
const drawings=()=>[graph,films.run&&films.run.drawing,films.other&&films.other.drawing].filter(Boolean);
function drawGraph(data){
  const text=JSON.stringify(data||null);
  if(shown.graph===text)return false;
  shown.graph=text;
  if(!data){
    graph=null;
    const hint=part(el('graph'),'p','','hint');
    el('graph').replaceChildren(hint);
    hint.append('The graph is empty. Type in the shell, for example ');
    part(hint,'code',"a = tf.constant([1., 2.], name='a')");
    hint.append(' and then ');
    part(hint,'code','eval a * 2.');
    return true;
  }
  if(!graph)el('graph').textContent='';
  if(graph){
    graph.source=source('graph',data);
    graph.take(data);
  }else graph=new GraphDrawing(el('graph'),source('graph',data),{select:about,edge:aboutEdge,ready:fresh,dead:state.dead});
  graph.large=size/SIZE;
  return true;
}
// Marks what the last command added to the graph.
function fresh(){
  if(!graph)return;
  const now=new Set([...graph.names.keys(),...graph.places.keys()]);
  if(known.size)
    for(const [name,box] of [...graph.names,...graph.places])
      if(!known.has(name)&&box.g)box.g.classList.add('new');
  known=now;
}
// Shows the film of a run in #run or #other. Without an answer, as on a page that is still, shows its drawing only.
async function showFilm(place,id,data){
  const answer=await promise({film:id});
  if(place==='run'&&state.run_id!==id)return;
  const before=films[place],shots=answer&&answer.stages?answer:null;
  const options={dead:state.dead,failed:state.error_node,select:about,edge:aboutEdge,rendered:differences,ready:differences,
    begin:place==='run'&&state.moment!==undefined?STAGES.length-1+state.moment:undefined,
    moved:film=>{const other=film===films.run?films.other:films.run;if(other)other.follow(film)}};
  if(before&&before.timer)before.play();
  const film=shots?new Film(el(place),source(id,data),shots,options):
    {drawing:new GraphDrawing(el(place),source(id,data),options),shots:null};
  film.id=id;
  if(before)film.drawing.open=new Set(before.drawing.open);
  film.drawing.large=size/SIZE;
  films[place]=film;
  el('save').hidden=!films.run||!films.run.shots;
  if(films.other&&place==='run')films.other.follow&&films.run.shots&&films.other.follow(films.run);
  tellDifference();
}
function closeOther(){
  delete films.other;
  el('other').hidden=true;
  el('other').textContent='';
  el('beside').value='';
  tellDifference();
}
async function besides(id){
  if(!id)return closeOther();
  const data=await promise({drawing:id});
  if(!data||!data.levels)return closeOther();
  el('other').hidden=false;
  await showFilm('other',id,data);
  if(films.run&&films.run.shots&&films.other.follow)films.other.follow(films.run);
}
// Marks the nodes whose device or state differ between the two runs.
function differences(){
  const a=films.run&&films.run.drawing,b=films.other&&films.other.drawing;
  if(!a||!a.names)return;
  for(const [one,two] of b&&b.names?[[a,b],[b,a]]:[[a,null]])
    for(const [name,box] of one.names){
      const same=two&&two.names.get(name);
      box.g.classList.toggle('differs',!!two&&(!same||same.item.c!==box.item.c));
    }
}
function tellDifference(){
  const box=el('difference'),a=films.run&&films.run.shots,b=films.other&&films.other.shots;
  box.hidden=!a||!b;
  differences();
  if(box.hidden)return;
  const sum=shots=>shots.transfers.length+' transfers, '+bytesText(shots.transfers.reduce((n,t)=>n+Math.max(0,t[3]),0))+
    (shots.wall?', '+duration(shots.wall):'');
  box.textContent='left: '+b.title+' @'+b.version+' ('+sum(b)+') · right: '+a.title+' @'+a.version+' ('+sum(a)+
    ') · a dashed frame: another device or state';
}
function listRuns(){
  const box=el('beside'),before=box.value,runs=(state.runs||[]).filter(run=>run.id!==state.run_id);
  box.hidden=!runs.length;
  box.textContent='';
  make('option',{value:''},box,'compare with …');
  for(const run of runs)make('option',{value:run.id},box,'run '+run.id+': '+run.request+' @'+run.version);
  box.value=runs.some(run=>String(run.id)===before)?before:'';
  if(before&&!box.value)closeOther();
}
function arrange(){
  const has={graph:!!state.graph_nodes,run:!!state.run_id};
  const both=mode==='both'||(mode==='auto'&&innerWidth>=WIDE);
  const one=mode==='auto'||mode==='both'?latest:mode,at=has[one]?one:has.run?'run':'graph';
  for(const name of ['graph','run']){
    const on=has.graph&&has.run&&both?true:at===name;
    el(name+'-view').hidden=!on;
    el(name+'-head').classList.toggle('now',on);
  }
  el('both').hidden=!has.graph||!has.run;
}
function choose(view){mode=view;arrange()}
function aside(){
  el('side').hidden=['detail','pins','plot'].every(id=>el(id).hidden);
}

// ---- a node, or the values on an edge
function links(box,label,names){
  if(!names||!names.length)return;
  const line=part(box,'div',label+' ');
  names.forEach(n=>{part(line,'a',n).onclick=()=>go(n)});
}
async function go(name){
  const visible=el('run-view').hidden?drawings():drawings().slice(1).concat(graph||[]);
  for(const drawing of visible)if(await drawing.show(name))return;
  about(name);
}
function mark(){
  for(const drawing of drawings()){drawing.chosen=chosen&&chosen.name||'';drawing.applyMarks()}
}
function closeCard(){
  chosen=null;
  mark();
  el('detail').hidden=true;
  aside();
}
function card(title){
  const box=el('detail');
  box.textContent='';
  const close=button(box,'×','close',closeCard);
  close.className='close';
  part(box,'strong',title);
  box.hidden=false;
  aside();
  return box;
}
function valueBox(box,tensor){
  const line=part(box,'div','value'+(tensor.endsWith(':0')?'':' '+tensor)+' '),place=part(box,'div','');
  const load=slice=>ask({value:tensor,slice:slice||0},v=>{
    if(v)showValue(v,place,{slice:load,history:(pins.get(tensor)||{history:[]}).history});
  });
  if(!pins.has(tensor))button(line,'pin','watch this value: it follows each run',()=>{pin(tensor);line.querySelector('button').remove()});
  load();
}
// `again` refreshes the card after a command.
function about(name,again){
  if(!name)return closeCard();
  chosen={name};
  mark();
  ask({node:name},a=>{
    if(!a||!chosen||chosen.name!==name)return;
    if(a.missing&&again===true)return closeCard();
    const box=card(a.name);
    if(a.missing)return part(box,'div','is not in the graph any more');
    part(box,'pre',a.line);
    for(let i=0;i<Math.min(a.outputs,OUTPUTS);++i)valueBox(box,name+':'+i);
    if(a.why)part(box,'div',a.why);
    links(box,'takes',a.inputs);
    links(box,'goes to',a.consumers);
    if(a.attrs&&a.attrs!=='{}'){
      const more=part(box,'details','');
      part(more,'summary','attributes');
      part(more,'pre',a.attrs);
    }
  });
}
function aboutEdge(tensors){
  chosen={edge:tensors};
  mark();
  const box=card(tensors.length>1?tensors.length+' values':tensors[0]);
  tensors.slice(0,OUTPUTS).forEach(tensor=>{
    links(box,'from',[tensor.slice(0,tensor.lastIndexOf(':'))]);
    valueBox(box,tensor);
  });
}
function refreshCard(){
  if(chosen&&chosen.edge)aboutEdge(chosen.edge);
  else if(chosen)about(chosen.name,true);
}

// ---- the watch panel: values that are shown after each run, and during a loop of runs
const pins=new Map(); // by tensor: {value, history}
function pin(tensor){
  pins.set(tensor,{value:null,history:[],run:0});
  keepPins();
  refreshPin(tensor);
}
function keepPins(){
  ask({pins:[...pins.keys()]});
  try{sessionStorage.setItem('tensh-pins',JSON.stringify([...pins.keys()]))}catch(e){/* no storage */}
  showPins();
}
function refreshPin(tensor){
  ask({value:tensor},v=>takePin(tensor,v,state.run_id));
}
function takePin(tensor,v,run){
  const kept=pins.get(tensor);
  if(!kept||!v)return;
  kept.value=v;
  const number=numberOf(v);
  if(number!==undefined&&run!==kept.run)kept.history.push(number);
  if(run)kept.run=run;
  if(kept.history.length>1000)kept.history.splice(0,kept.history.length-1000);
  showPins();
}
function showPins(){
  const box=el('pins');
  box.textContent='';
  box.hidden=!pins.size;
  aside();
  if(!pins.size)return;
  part(box,'strong','Watched values');
  for(const [tensor,kept] of pins){
    const one=part(box,'div','','pin');
    one.dataset.tensor=tensor;
    button(one,'×','stop watching '+tensor,()=>{pins.delete(tensor);keepPins()}).className='close';
    part(one,'strong',tensor.replace(/:0$/,''));
    showValue(kept.value,part(one,'div',''),{history:kept.history,small:true});
  }
}

// ---- the snapshots
function svg(id,text){ // an SVG of ours, made of escaped text
  if(shown[id]===text)return;
  shown[id]=text;
  el(id).innerHTML=text||'';
  el(id).hidden=!text;
  aside();
}
function show(s){
  const before=state;
  state=s;
  if(before.graph_id!==s.graph_id&&before.graph_id!==undefined){ // another graph: what was found or chosen is gone
    closeCard();
    known=new Set();
    if(graph)graph.search.value=graph.matches.textContent='';
  }
  el('command').textContent=s.command?(s.cell?'In['+s.cell+'] ':'')+s.command:'';
  el('error').hidden=!s.error;
  el('error').textContent=s.error||'';
  if(s.error_node)button(el('error'),'show '+s.error_node,'the node that failed',()=>go(s.error_node));
  el('graph-head').textContent='Graph @'+(s.graph_version||0)+', '+(s.graph_nodes||0).toLocaleString('en')+' nodes'+
    (s.graph_nodes&&!s.graph?': too many to draw':'');
  el('run-head').textContent=s.request?'Run '+s.request:'No run yet: type eval X, or explain X';
  const changed=drawGraph(s.graph),ran=s.run_id!==before.run_id;
  if(ran||changed)latest=ran&&s.run_id?'run':'graph';
  if(ran&&mode!=='both')mode='auto';
  for(const drawing of drawings()){
    Object.assign(drawing.options,{dead:s.dead,failed:s.error_node});
    if(!drawing.names)continue;
    drawing.applyMarks();
    if(JSON.stringify(s.dead)===JSON.stringify(before.dead))continue;
    drawing.render();
    if((s.dead||[]).length)drawing.fit(true); // so that the dead machine is visible
  }
  if(ran&&s.run_id){
    showFilm('run',s.run_id,s.run);
    for(const tensor of pins.keys())refreshPin(tensor);
  }else if(!s.run_id&&films.run){
    delete films.run;
    el('save').hidden=true;
    el('run').textContent='';
    closeOther();
  }
  else if(s.moment!==undefined&&s.moment!==before.moment&&films.run&&films.run.shots)films.run.go(STAGES.length-1+s.moment);
  listRuns();
  if(s.beside&&JSON.stringify(s.beside)!==JSON.stringify(before.beside)){
    el('beside').value=s.beside;
    besides(s.beside);
  }
  svg('plot',s.plot);
  if(chosen)refreshCard();
  arrange();
  document.body.dataset.version=version;
}
function take(message){
  if(message.id!==undefined){
    const then=answers.get(message.id);
    answers.delete(message.id);
    if(then)then(message.answer);
  }else if(message.event){
    if(message.event.plot!==undefined){
      state.plot=message.event.plot;
      svg('plot',state.plot);
    }
    for(const tensor in message.event.pins||{})takePin(tensor,message.event.pins[tensor]);
    document.body.dataset.events=++events;
  }else if(message.version!==version){
    version=message.version;
    show(message.state);
  }
}
function follow(){
  socket=new WebSocket('ws://'+location.host+'/ws');
  socket.onopen=()=>{
    el('lost').hidden=true;
    if(pins.size)keepPins();
  };
  socket.onmessage=m=>take(JSON.parse(m.data));
  socket.onclose=()=>{
    el('lost').hidden=false;
    for(const then of answers.values())if(then)then(null);
    answers.clear();
    version=-1;
    setTimeout(follow,2000);
  };
}
function resize(by){
  size=Math.max(10,Math.min(size+by,60));
  document.documentElement.style.fontSize=size+'px';
  for(const drawing of drawings()){drawing.large=size/SIZE;drawing.fit(false)}
}
el('larger').onclick=()=>resize(3);
el('smaller').onclick=()=>resize(-3);
el('graph-head').onclick=()=>choose('graph');
el('run-head').onclick=()=>choose('run');
el('both').onclick=()=>choose(mode==='both'?'auto':'both');
el('beside').onchange=e=>besides(+e.target.value);
el('save').onclick=()=>ask({save:films.run.id},answer=>{
  if(!answer||!answer.page)return;
  const link=make('a',{download:'step.html'});
  link.href=URL.createObjectURL(new Blob([answer.page],{type:'text/html'}));
  link.click();
  setTimeout(()=>URL.revokeObjectURL(link.href),10000);
});
addEventListener('resize',arrange);
addEventListener('keydown',e=>{if(films.run&&films.run.shots&&!el('run-view').hidden)films.run.key(e)});
try{for(const tensor of JSON.parse(sessionStorage.getItem('tensh-pins')||'[]'))pins.set(tensor,{value:null,history:[],run:0})}catch(e){/* no storage */}
if(still)fetch('/state').then(a=>a.json()).then(take);else follow();
