// A run as a film: its graph, what is pruned, placed and cut, and then each moment of the step.
//
// `shots` is the object of shell/explain/film.h. The first four frames are the stages before the step. A moment lists the
// nodes that ran and those whose values arrived since the moment before. Below the drawing, a timeline shows the same
// events; a click on either moves both.
const STAGES=['① graph','② pruned','③ placed','④ cut','⑤ run'],WAIT=4;
const KINDS=['computes','reads','sends','receives','waits for'];

function duration(ns){
  for(const [unit,size] of [['s',1e9],['ms',1e6],['µs',1e3]])
    if(ns>=size)return (ns/size).toPrecision(3)+' '+unit;
  return ns+' ns';
}
function bytesText(bytes){
  if(bytes<0)return '';
  for(const [unit,size] of [['GB',2**30],['MB',2**20],['KB',2**10]])
    if(bytes>=size)return (bytes/size).toFixed(1)+' '+unit;
  return bytes+' B';
}

// The events of a run, a row for each device, and a cursor. `pick(time,node,end)` is called when it is clicked.
class Timeline{
  constructor(host,shots,pick){
    const events=shots.events,begin=Math.min(...events.map(e=>e[2])),end=Math.max(begin+1,...events.map(e=>e[3]));
    this.begin=begin;
    this.length=end-begin;
    this.bars=new Map();
    host.className='timeline drawing';
    const head=make('div',{class:'timeline-head'},host);
    make('b',{},head,'ran in '+duration(shots.wall));
    for(const [kind,text] of [['compute','computes'],['moves','sends or receives'],['waits','waits for a Send']]){
      make('i',{class:'key '+kind},head);
      make('span',{},head,text);
    }
    if(shots.path.length>1)make('span',{class:'path',title:shots.path.join(' → ')},head,'critical path: '+shots.path.join(' → '));
    const rows=make('div',{class:'timeline-rows'},host),names=make('div',{class:'names'},rows);
    const tracks=this.tracks=make('div',{class:'tracks',title:'wheel: zoom · click: go there'},rows);
    const inner=make('div',{class:'inner'},tracks),track=new Map();
    shots.devices.forEach((device,d)=>{
      if(!shots.used.includes(device)&&!events.some(e=>e[0]===d))return;
      make('div',{title:device},names,shortDevice(device));
      track.set(d,make('div',{class:'track d'+d%7},inner));
    });
    for(const [d,kind,from,to,node,text,inner] of events){
      const bar=make('i',{class:'bar'+(kind===WAIT?' waits':kind>1?' moves':'')+(inner?' inner':''),
        title:node+' '+KINDS[kind]+(text?' '+text:'')+', '+duration(to-from)},track.get(d));
      bar.style.left=this.percent(from);
      bar.style.width='max(2px,'+100*(to-from)/this.length+'%)';
      bar.dataset.name=node;
      bar.dataset.end=to;
      if(kind!==WAIT)this.bars.set(node+' '+to,bar);
    }
    this.cursor=make('div',{class:'cursor'},inner);
    let zoom=1;
    tracks.addEventListener('wheel',e=>{ // the time under the pointer stays there
      e.preventDefault();
      const x=e.clientX-tracks.getBoundingClientRect().left,at=(tracks.scrollLeft+x)/zoom;
      zoom=Math.max(1,Math.min(zoom*Math.exp(-e.deltaY*(e.deltaMode===1?.05:.002)),200));
      inner.style.width=100*zoom+'%';
      tracks.scrollLeft=at*zoom-x;
    },{passive:false});
    tracks.onclick=e=>{
      const bar=e.target.closest('.bar'),box=inner.getBoundingClientRect();
      pick(begin+(e.clientX-box.left)/box.width*this.length,bar&&bar.dataset.name,bar&&+bar.dataset.end);
    };
  }
  percent(time){return 100*(time-this.begin)/this.length+'%'}
  // Moves the cursor to a moment; without one, hides it.
  show(moment){
    this.cursor.hidden=!moment;
    if(this.now)this.now.classList.remove('now');
    this.now=moment&&this.bars.get(moment.node+' '+moment.at);
    if(this.now)this.now.classList.add('now');
    if(!moment)return;
    this.cursor.style.left=this.percent(Math.max(this.begin,moment.at));
    const x=this.cursor.offsetLeft,{scrollLeft,clientWidth}=this.tracks;
    if(x<scrollLeft||x>scrollLeft+clientWidth)this.tracks.scrollLeft=x-clientWidth/2;
  }
}

class Film{
  // `options`: keys listens to the keys of the page; select(name) and moved(film) are called after a click and a move;
  // begin is the first frame; dead lists the tasks that do not answer.
  constructor(host,source,shots,options={}){
    this.shots=shots;
    this.options=options;
    this.ran=[];
    this.arrived=new Map(); // the first moment at which a value was there
    shots.moments.forEach((m,i)=>{
      this.ran.push(...m.ran);
      m.runs=this.ran.length;
      for(const name of m.arrived)this.arrived.set(name,i);
    });
    this.frames=shots.stages.map((what,i)=>({stage:i+1,what})).concat(shots.moments.map((m,i)=>({stage:5,moment:i,...m})));
    this.now=Math.min(options.begin===undefined?this.frames.length-1:options.begin,this.frames.length-1);
    this.waits=shots.events.filter(e=>e[1]===WAIT);
    this.build(host);
    this.drawing=new GraphDrawing(this.part.graph,source,{film:true,dead:options.dead,failed:options.failed,rendered:options.rendered,
      select:name=>{this.seek(name);if(options.select)options.select(name)},
      edge:options.edge||(tensors=>{this.part.what.textContent=tensors.map(t=>t+' = '+(shots.values[t]||'unknown')).join(' · ')}),
      ready:()=>{this.show(this.now,true);if(options.ready)options.ready()}});
  }
  build(host){
    host.textContent='';
    host.classList.add('film');
    this.host=host;
    const bar=make('div',{class:'film-bar'},host),part=this.part={bar};
    const button=(text,title,act)=>{
      const b=make('button',{title,'aria-label':title},bar,text);
      b.onclick=act;
      return b;
    };
    part.prev=button('◀','one moment back (←, PageUp)',()=>this.step(-1));
    part.next=button('▶','one moment forward (→, PageDown)',()=>this.step(1));
    part.play=button('play','play or pause (space)',()=>this.play());
    part.inside=button('inside','open the scopes around the node that runs (i)',()=>{
      part.inside.classList.toggle('now',this.inside=!this.inside);
      this.show(this.now);
    });
    part.stages=make('span',{class:'stages'},bar);
    STAGES.forEach((text,i)=>{
      const at=this.frames.findIndex(frame=>frame.stage===i+1);
      if(at>=0)make('button',{'data-stage':i+1},part.stages,text).onclick=()=>this.go(at);
    });
    part.slide=make('input',{type:'range',min:0,max:this.frames.length-1,class:'slide','aria-label':'moment'},bar);
    part.slide.oninput=()=>this.go(+part.slide.value);
    part.at=make('span',{class:'at'},bar);
    part.what=make('div',{class:'what','aria-live':'polite'},host);
    part.graph=make('div',{class:'film-graph'},host);
    if(this.shots.events.length)
      this.timeline=new Timeline(make('div',{},host),this.shots,(time,node,end)=>this.pick(time,node,end));
    const list=make('dl',{},host);
    for(const name of ['done','ready','not taken','in flight','waits','rendezvous']){
      part[name+' head']=make('dt',{},list,name);
      part[name]=make('dd',{class:name.replace(' ','')},list);
    }
    part.list=list;
    list.hidden=!this.shots.moments.length;
    if(this.options.keys)addEventListener('keydown',e=>this.key(e));
  }

  go(i){
    this.show(i);
    if(this.options.moved)this.options.moved(this);
  }
  // After the last moment comes the first stage, so that a clicker with two buttons can begin again.
  step(by){this.go(by>0&&this.now===this.frames.length-1?0:this.now+by)}
  play(){
    const stop=()=>{clearInterval(this.timer);this.timer=0;this.part.play.textContent='play'};
    if(this.timer)return stop();
    if(this.now===this.frames.length-1)this.go(0);
    this.part.play.textContent='pause';
    this.timer=setInterval(()=>{
      this.step(1);
      if(this.now===this.frames.length-1||!this.host.isConnected)stop();
    },900);
  }
  key(e){
    if(e.ctrlKey||e.metaKey||e.altKey||e.defaultPrevented)return;
    if(/^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)&&e.target.type!=='range')return;
    const moves={ArrowRight:1,ArrowLeft:-1,PageDown:1,PageUp:-1};
    if(e.key==='Home')this.go(0);
    else if(e.key==='End')this.go(this.frames.length-1);
    else if(e.key==='i')this.part.inside.click();
    else if(e.key===' '&&e.target.tagName!=='BUTTON'&&!e.target.closest('[role=button]'))this.play();
    else if(moves[e.key]&&!e.shiftKey)this.step(moves[e.key]);
    else return;
    e.preventDefault();
  }

  textOf(tensor){
    const values=this.shots.values,name=tensor.split(' ')[0];
    return values[tensor]!==undefined?values[tensor]:values[name]!==undefined?values[name]:tensor.slice(name.length+1);
  }
  list(name,items,optional){
    const most=40,more=items.length>most?' · … '+(items.length-most)+' more':'';
    this.part[name].textContent=items.length?items.slice(0,most).join(' · ')+more:'–';
    if(optional)this.part[name].hidden=this.part[name+' head'].hidden=!items.length;
  }
  // `still` does not move the drawing, which shows its beginning at first.
  show(i,still=false){
    this.now=Math.max(0,Math.min(i,this.frames.length-1));
    const frame=this.frames[this.now],ran=frame.stage===5,part=this.part,last=this.shots.moments.length-1;
    this.host.dataset.stage=frame.stage;
    for(const b of part.stages.children)b.classList.toggle('now',+b.dataset.stage===frame.stage);
    part.what.textContent=STAGES[frame.stage-1][0]+' '+(frame.moment?frame.moment+' of '+last+' · ':'')+frame.what.replace(/\/job:\S+/g,shortDevice)+
      (ran&&frame.moment===last&&this.shots.more?' ('+this.shots.more.toLocaleString('en')+' more events are not shown)':'');
    part.what.title=part.what.textContent;
    part.at.textContent=frame.moment?'at '+duration(frame.at):'';
    part.slide.value=this.now;
    part.list.style.visibility=ran?'visible':'hidden';
    if(this.timeline)this.timeline.show(frame.moment?frame:null);
    if(ran)this.state(frame,still);else this.drawing.setMarks({states:new Map(),flight:new Map()});
  }
  state(m,still){
    const states=new Map(),waits=m.moment?this.waits.filter(w=>w[2]<=m.at&&w[3]>m.at):[];
    for(const name of m.nottaken)states.set(name,'nottaken');
    for(const name of m.ready)states.set(name,'ready');
    for(const w of waits)states.set(w[4],'waiting');
    for(const [name,since] of this.arrived)if(since<=m.moment)states.set(name,'done');
    const skipped=Math.max(0,m.runs-12); // the last nodes that ran matter most
    this.list('done',(skipped?['… '+skipped+' before']:[]).concat(this.ran.slice(skipped,m.runs)));
    this.list('ready',m.ready);
    this.list('not taken',m.nottaken,true);
    this.list('in flight',m.flight.map(t=>this.shots.values[t]===undefined?t:t+' '+this.shots.values[t]));
    const name=d=>shortDevice(this.shots.devices[d]);
    this.list('waits',waits.map(w=>w[4]+' on '+name(w[0])+' waits for '+w[5]+', '+duration(w[3]-w[2])+' in all'),true);
    const held=['not sent','sent, in the rendezvous','received'],sent=new Map();
    this.list('rendezvous',this.shots.transfers.map(([tensor,from,to,bytes],i)=>{
      sent.set(tensor+' '+this.shots.devices[to],m.sent[i]);
      return tensor+' '+name(from)+' → '+name(to)+' '+bytesText(bytes)+': '+held[+m.sent[i]];
    }),true);
    // The transfer that this moment is about.
    const before=m.moment?this.shots.moments[m.moment-1].sent:m.sent;
    const changed=[...m.sent].findIndex((state,i)=>state!==before[i]);
    const moves=changed<0?null:{tensor:this.shots.transfers[changed][0],device:this.shots.devices[this.shots.transfers[changed][2]],
      end:m.sent[changed]-1};
    // At the end of a small step, all values are there.
    const all=m.moment===this.shots.moments.length-1&&this.drawing.lines&&this.drawing.lines.length<60?this.shots.values:null;
    this.drawing.setMarks({still,states,now:m.node,sent,moves,all,
      flight:new Map(m.flight.map(t=>[t.split(' ')[0],this.textOf(t)]))});
    if(this.inside&&m.node&&this.drawing.names&&!this.drawing.names.has(m.node))this.drawing.reveal(m.node);
  }

  // Goes to the next moment, after this one or from the start, at which the node runs.
  seek(name){
    const frames=this.frames;
    if(!name||frames[this.now].node===name)return;
    const after=frames.findIndex((frame,i)=>i>this.now&&frame.node===name);
    const found=after>=0?after:frames.findIndex(frame=>frame.node===name);
    if(found>=0)this.go(found);
  }
  pick(time,node,end){
    const first=this.frames.findIndex(frame=>frame.stage===5);
    let found=this.frames.findIndex(frame=>frame.node===node&&frame.at===end);
    for(let i=this.frames.length-1;found<0&&i>=first;--i)if(this.frames[i].at<=time||i===first)found=i;
    if(found>=0)this.go(found);
    if(node&&this.options.select)this.options.select(node);
  }
  // Goes to the frame of this film that is like the current one of another: the same stage, or the same run of the same node.
  follow(other){
    const frame=other.frames[other.now];
    if(frame.stage<5)return this.show(Math.min(other.now,this.frames.length-1));
    const nth=other.frames.filter((f,i)=>i<=other.now&&f.stage===5&&f.node===frame.node).length;
    const same=this.frames.map((f,i)=>i).filter(i=>this.frames[i].stage===5&&this.frames[i].node===frame.node);
    if(same.length)return this.show(same[Math.min(nth,same.length)-1]);
    this.show(Math.round(other.now*(this.frames.length-1)/Math.max(1,other.frames.length-1)));
  }
}
