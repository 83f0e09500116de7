// A value to look at: a number, the curve of a vector, a heat map, an image, a histogram. NaN and Inf are counted, and have
// colours of their own.
//
// A value is the object of shell/commands/base/value_json.h. A cell is a number, or the text "nan", "inf" or "-inf".
const VIRIDIS=['#440154','#472d7b','#3b528b','#2c728e','#21918c','#28ae80','#5ec962','#addc30','#fde725']
  .map(c=>[1,3,5].map(i=>parseInt(c.slice(i,i+2),16)));
const NAN_COLOUR=[255,0,200],INF_COLOUR=[255,120,0];

function shortNumber(x){
  if(typeof x!=='number')return String(x);
  const size=Math.abs(x);
  return Number.isInteger(x)&&size<1e7?String(x):size&&(size<1e-3||size>=1e6)?x.toExponential(2):String(+x.toPrecision(4));
}
function viridis(t){
  const at=Math.max(0,Math.min(1,t))*(VIRIDIS.length-1),k=Math.min(Math.floor(at),VIRIDIS.length-2);
  return VIRIDIS[k].map((c,i)=>c+(VIRIDIS[k+1][i]-c)*(at-k));
}
// The colour of a cell, as bytes.
function cellColour(cell,low,high){
  if(cell==='nan')return NAN_COLOUR;
  return typeof cell==='string'?INF_COLOUR:viridis(high>low?(cell-low)/(high-low):.5);
}
function drawCells(v,box){
  const {rows,cols,channels}=v.cells,data=v.cells.data,canvas=make('canvas',{},box);
  canvas.width=cols;
  canvas.height=rows;
  const side=Math.max(1,Math.min(320/cols,220/rows));
  canvas.style.width=Math.round(cols*side)+'px';
  canvas.style.height=Math.round(rows*side)+'px';
  const c=canvas.getContext('2d'),image=c.createImageData(cols,rows);
  for(let i=0;i<rows*cols;++i){
    const cell=data.slice(i*channels,(i+1)*channels),odd=cell.find(x=>typeof x==='string');
    const grey=v.image&&channels===1&&odd===undefined?Array(3).fill(255*cell[0]):null;
    const colour=odd!==undefined?cellColour(odd):grey||(channels===1?cellColour(cell[0],v.min,v.max):cell.slice(0,3).map(x=>255*x));
    image.data.set([...colour.map(x=>Math.max(0,Math.min(255,Math.round(x)))),channels===4?Math.round(255*cell[3]):255],4*i);
  }
  c.putImageData(image,0,0);
  const tip=make('div',{class:'facts'},box,'\u00a0');
  canvas.onpointermove=e=>{
    const r=canvas.getBoundingClientRect(),x=Math.floor((e.clientX-r.left)/r.width*cols),y=Math.floor((e.clientY-r.top)/r.height*rows);
    if(x<0||y<0||x>=cols||y>=rows)return;
    const cell=data.slice((y*cols+x)*channels,(y*cols+x+1)*channels);
    tip.textContent='['+(v.cells.each>1?'about ':'')+Math.floor(y*v.cells.height/rows)+', '+Math.floor(x*v.cells.width/cols)+'] = '+cell.map(shortNumber).join(', ');
  };
}
// A curve; a number that is NaN or Inf is a dot on the lower edge.
function drawCurve(numbers,box){
  const finite=numbers.filter(x=>typeof x==='number'),low=Math.min(...finite),high=Math.max(...finite),n=numbers.length;
  const svg=element('svg',{class:'curve',viewBox:'0 0 100 40',preserveAspectRatio:'none'},box);
  const x=i=>n>1?100*i/(n-1):50,y=v=>high>low?38-36*(v-low)/(high-low):20;
  let path='',gap=true;
  numbers.forEach((v,i)=>{
    if(typeof v!=='number'){
      element('circle',{cx:x(i),cy:38,r:1.6},svg);
      gap=true;
      return;
    }
    path+=(gap?'M':'L')+x(i).toFixed(2)+' '+y(v).toFixed(2);
    gap=false;
  });
  element('path',{d:path},svg);
  const ends=make('div',{class:'ends'},box);
  for(const text of [shortNumber(numbers[0]),finite.length?shortNumber(low)+' … '+shortNumber(high):'',shortNumber(numbers[n-1])])
    make('span',{},ends,text);
}
// Shows a value in `box`. `slice(by)` is called for another part of a value with more than two dimensions.
function showValue(v,box,{history=[],slice,small}={}){
  box.textContent='';
  box.classList.add('value');
  if(!v||!v.type){
    make('div',{class:'facts'},box,'no value: it did not run, gives none, or was too large to keep');
    return;
  }
  const facts=make('div',{class:'facts'},box,v.type+(v.times>1?', the last of '+v.times:''));
  for(const name of ['nan','inf'])
    if(v[name])make('span',{class:'bad'},facts,v[name].toLocaleString('en')+' '+(name==='nan'?'NaN':'Inf'));
  const text=v.text.replace(/ +/g,' '),few=v.cells&&v.cells.rows===1&&v.cells.cols<5;
  if(v.count===1||!v.cells||few)make('div',{class:'number'},box,text);
  else if(v.cells.rows===1&&v.cells.channels===1)drawCurve(v.cells.data,box);
  else drawCells(v,box);
  if(v.slices>1&&slice){
    const line=make('div',{class:'facts'},box,'part '+(v.slice+1)+' of '+v.slices+' ');
    make('button',{'aria-label':'the part before'},line,'◀').onclick=()=>slice((v.slice+v.slices-1)%v.slices);
    make('button',{'aria-label':'the next part'},line,'▶').onclick=()=>slice((v.slice+1)%v.slices);
  }
  if(v.mean!==undefined&&v.count>1)
    make('div',{class:'facts'},box,'min '+shortNumber(v.min)+' · mean '+shortNumber(v.mean)+' · max '+shortNumber(v.max)+
      ' · sd '+shortNumber(v.sd)+(v.zeros?' · '+v.zeros.toLocaleString('en')+' zeros':''));
  if(v.histogram&&!small&&v.count>8){
    const most=Math.max(...v.histogram),bars=make('div',{class:'histogram',role:'img','aria-label':'histogram'},box);
    v.histogram.forEach((n,i)=>{
      const bar=make('i',{title:n.toLocaleString('en')+' from '+shortNumber(v.min+(v.max-v.min)*i/v.histogram.length)},bars);
      bar.style.height=100*n/most+'%';
    });
    const ends=make('div',{class:'ends'},box);
    make('span',{},ends,shortNumber(v.min));
    make('span',{},ends,shortNumber(v.max));
  }
  if(!small&&v.count>1&&!few)make('pre',{},box,text);
  const steps=v.curve&&v.curve.length>1?v.curve:history;
  if(steps.length>1){
    make('div',{class:'facts'},box,(v.count>1&&!v.curve?'its mean ':'')+'over '+steps.length+(v.curve?' steps':' runs'));
    drawCurve(steps,box);
  }
}
// The number that stands for a value in its history: itself, or its mean.
function numberOf(v){
  if(!v||!v.type)return undefined;
  if(v.nan)return 'nan';
  if(v.inf)return 'inf';
  return v.mean;
}
